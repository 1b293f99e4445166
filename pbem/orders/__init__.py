"""From a letter's lines to commands, order sheets and questions back."""
