import type { ApiDescriptionProvider } from "./api-description-provider.ts";
import { type ApiDocument, toDocument } from "./document.ts";
import type { DescribedRoute } from "./operation.ts";
import { toPage } from "./page.ts";

/** Describes the routes of a service. Document and page are generated at their first request. */
export function describeApi(routes: readonly DescribedRoute[], version: string): ApiDescriptionProvider {
	let createdDocument: ApiDocument | undefined;
	let createdPage: string | undefined;
	const document = () => (createdDocument ??= toDocument(routes, version));
	return { document, page: () => (createdPage ??= toPage(document())) };
}
