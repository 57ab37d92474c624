declare module "oidc-provider" {
	import type { IncomingMessage, ServerResponse } from "node:http";

	/** The members of the package's `Provider` that tests use. */
	export class Provider {
		constructor(issuer: string, configuration: object);
		callback(): (request: IncomingMessage, response: ServerResponse) => void;
		on(event: string, listener: (...values: unknown[]) => void): this;
	}
}
