/**
 * True if an image's name begins with a configured prefix. A prefix without a slash matches only names without a slash. Otherwise
 * `registry.example.org` would also match images of the host `registry.example.org.example.net`.
 */
export function beginsAs(image: string, beginning: string): boolean {
	return image.startsWith(beginning) && (beginning.includes("/") || !image.includes("/"));
}
