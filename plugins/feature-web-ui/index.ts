import { defineFeature } from "../../core/feature.ts";
import { replyPage } from "./page.ts";
import { assets, webRoutes } from "./routes.ts";

/** The web page of the service, at its root. Its source is in `web`. */
export const webUi = () =>
	defineFeature({
		name: "webUi",
		create({ options, authBackend }) {
			const { index } = assets;
			return {
				api: {},
				routes: webRoutes,
				...(options.webui.enable && index !== undefined && { page: () => replyPage(index, options, authBackend) }),
			};
		},
	});
