"""To the Last Man! The Great War in the West."""
