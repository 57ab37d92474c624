declare module "oidc-provider" {
	import type { IncomingMessage, ServerResponse } from "node:http";

	/** As far as tests use it. */
	export class Provider {
		constructor(issuer: string, configuration: object);
		callback(): (request: IncomingMessage, response: ServerResponse) => void;
		on(event: string, listener: (...values: unknown[]) => void): this;
	}
}
