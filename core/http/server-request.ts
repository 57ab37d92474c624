/** A request as the server gives it: that of the web, and where it came from. Without h3's own type, which programs would have to check too. */
export type ServerRequest = Request & {
	/** Address of the client. */
	readonly ip?: string | undefined;
	/** What Node has made of it; absent for a request without a socket. */
	readonly runtime?: { readonly node?: { readonly req: unknown } | undefined } | undefined;
};
