import type { HttpFeature } from "../../http/http-feature.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { replyPage } from "./page.ts";
import { assets, webRoutes } from "./routes.ts";

/** Creates the feature for the web page of the service, whose source is `core/web`. */
export function createWebUiFeature({ options, authBackend }: Pick<Kernel, "options" | "authBackend">): HttpFeature {
	const { index } = assets;
	return {
		api: {},
		routes: webRoutes,
		...(options.webui.enable && index !== undefined && { page: () => replyPage(index, options, authBackend) }),
	};
}
