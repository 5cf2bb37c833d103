"""What programs, requests and credentials may do."""
