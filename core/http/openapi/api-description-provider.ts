/** Provides the API description to clients. */
export interface ApiDescriptionProvider {
	/** Returns the description as an OpenAPI 3.1 document. */
	document(): object;
	/** Returns the description as an HTML page. */
	page(): string;
}
