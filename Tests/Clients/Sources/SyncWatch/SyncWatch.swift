// What is compiled here is listed in sources.txt.
