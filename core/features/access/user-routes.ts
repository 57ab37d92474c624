import { answerJson } from "../../http/openapi/responses.ts";
import { replyJson } from "../../http/replies.ts";
import { createRouteDeclarations } from "../../http/route.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { AccessApi } from "./api.ts";
import { userSchema } from "./schemas.ts";

const { defineRoute } = createRouteDeclarations<Pick<AccessApi, "access">>();

export const userRoutes = [
	defineRoute({
		method: "GET",
		path: "/user",
		component: "api",
		summary: "Tell who asks, how they signed in, and their roles",
		description: "With `permissions=true` also what they may do: for each permission the records it is given for, `*` for all.",
		answers: { 200: answerJson(userSchema) },
		permission: "authenticated",
		query: { permissions: "boolean" },
		handler: ({ principal, engine, query }) =>
			replyJson({
				username: principal.username,
				authentication: toAuthentication(principal.authentication),
				rbac: {
					enabled: engine.access.enabled,
					roles: principal.roles ?? [],
					is_admin: principal.isAdmin,
					...(query.permissions === true && { permissions: engine.access.permissionsOf(principal) }),
				},
			}),
	}),
];

/** Returns the authentication with the expiry in whole seconds. Clients expect that here, unlike in all other responses. */
function toAuthentication(authentication: Principal["authentication"]): Principal["authentication"] {
	if (authentication.method !== "authentication token") return authentication;
	return { ...authentication, token_expire: authentication.token_expire.replace(/\.\d+Z$/, "Z") };
}
