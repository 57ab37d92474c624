/** Returns the media type of a header `Content-Type` in lower case, without parameters. Returns an empty string if there is no header. */
export function toMediaType(contentType: string | null): string {
	return (contentType ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/** Returns true for media types whose bodies are JSON, such as `application/json`, `text/json` and `application/cloudevents+json`. */
export function isJsonType(mediaType: string): boolean {
	return mediaType === "application/json" || /^(?:text\/json|application\/\S+\+json)$/.test(mediaType);
}
