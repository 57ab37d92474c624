/**
 * Whether an image's name begins as a configuration allows. What stands before a slash may be a host: `registry.example.org` means none at
 * `registry.example.org.example.net`, so that a beginning without a slash is one of images without a host.
 */
export function beginsAs(image: string, beginning: string): boolean {
	return image.startsWith(beginning) && (beginning.includes("/") || !image.includes("/"));
}
