import { replyJson } from "./respond.ts";
import { routesOver } from "./route.ts";

const { defineRoute } = routesOver<unknown>();

/** What answers at the root of the API. */
export const rootRoutes = [
	defineRoute({
		method: "GET",
		path: "/",
		component: "api",
		permission: "authenticated",
		handler: ({ version }) => replyJson({ version, docs_url: "" }),
	}),
];
