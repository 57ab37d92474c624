import { answerJson } from "../../http/openapi/answers.ts";
import { replyJson } from "../../http/respond.ts";
import { routesOver } from "../../http/route.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Access } from "./access-api.ts";
import { userSchema } from "./schemas.ts";

/** What the routes ask of the engine. */
interface RouteNeeds {
	readonly access: Access;
}

const { defineRoute } = routesOver<RouteNeeds>();

export const userRoutes = [
	defineRoute({
		method: "GET",
		path: "/user",
		component: "api",
		summary: "Tell who asks, how they signed in, and their roles",
		answers: { 200: answerJson(userSchema) },
		permission: "authenticated",
		handler: ({ principal, engine }) =>
			replyJson({
				username: principal.username,
				authentication: toAuthentication(principal.authentication),
				rbac: { enabled: engine.access.enabled, roles: principal.roles ?? [], is_admin: principal.isAdmin },
			}),
	}),
];

/** Clients expect the expiry in whole seconds here, unlike everywhere else. */
function toAuthentication(authentication: Principal["authentication"]): Principal["authentication"] {
	if (authentication.method !== "authentication token") return authentication;
	return { ...authentication, token_expire: authentication.token_expire.replace(/\.\d+Z$/, "Z") };
}
