// Program empty does nothing: what a binary weighs by itself.
package main

func main() {}
