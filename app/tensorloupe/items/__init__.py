"""What tables and trees show, prepared from loader objects: plain data first, Qt item models over it, no reading here."""
