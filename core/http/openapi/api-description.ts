import type { ApiDescriptionProvider } from "./api-description-provider.ts";
import { type ApiDocument, toDocument } from "./document.ts";
import type { DescribedRoute } from "./operation.ts";
import { toPage } from "./page.ts";

/** API description of the routes of a service. It is generated at the first request and then cached. */
export class ApiDescription implements ApiDescriptionProvider {
	readonly #routes: readonly DescribedRoute[];
	readonly #version: string;
	#document: ApiDocument | undefined;
	#page: string | undefined;

	constructor(routes: readonly DescribedRoute[], version: string) {
		this.#routes = routes;
		this.#version = version;
	}

	/** Returns the description as an OpenAPI 3.1 document. */
	document(): ApiDocument {
		this.#document ??= toDocument(this.#routes, this.#version);
		return this.#document;
	}

	/** Returns the description as an HTML page. */
	page(): string {
		this.#page ??= toPage(this.document());
		return this.#page;
	}
}
