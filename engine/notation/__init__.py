"""What every order language stands on."""
