/** What describes the API to whoever asks. */
export interface Description {
	/** As OpenAPI. */
	document(): object;
	/** As a page for people. */
	page(): string;
}
