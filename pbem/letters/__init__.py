"""Facts and views turned into sentences and tables. The words stand in the templates."""
