import type { Description } from "./description.ts";
import { type ApiDocument, toDocument } from "./document.ts";
import type { DescribedRoute } from "./operation.ts";
import { toPage } from "./page.ts";

/** The description of the routes of a service, made when somebody asks for it. */
export class ApiDescription implements Description {
	readonly #routes: readonly DescribedRoute[];
	readonly #version: string;
	#document: ApiDocument | undefined;
	#page: string | undefined;

	constructor(routes: readonly DescribedRoute[], version: string) {
		this.#routes = routes;
		this.#version = version;
	}

	/** As OpenAPI. */
	document(): ApiDocument {
		this.#document ??= toDocument(this.#routes, this.#version);
		return this.#document;
	}

	/** As a page for people. */
	page(): string {
		this.#page ??= toPage(this.document());
		return this.#page;
	}
}
