import type { HttpFeature } from "../../http/http-feature.ts";
import { answerJson } from "../../http/openapi/responses.ts";
import { listPageEntries } from "../../http/page-entries.ts";
import { replyJson } from "../../http/replies.ts";
import { createRouteDeclarations } from "../../http/route.ts";
import type { PermissionType } from "../../kernel/basics/permission-types.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { AccessApi } from "./api.ts";
import { userSchema } from "./schemas.ts";

interface UserRouteServices extends Pick<AccessApi, "access"> {
	/** Features of the engine. Absent: none has an entry in the web page. */
	readonly features?: Readonly<Record<string, HttpFeature>>;
}

const { defineRoute } = createRouteDeclarations<UserRouteServices>();

export const userRoutes = [
	defineRoute({
		method: "GET",
		path: "/user",
		summary: "Get the current user, the kind of credential and the roles",
		description:
			"With `permissions=true`, includes the granted permissions, each with the records it is granted for (`*`: all), and the entries of features in the web page that the user may view.",
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
				...(query.permissions === true && { page_entries: toPageEntries(engine, principal) }),
			}),
	}),
];

/** Returns the entries of features in the web page that the caller may see. */
function toPageEntries({ features = {}, access }: UserRouteServices, principal: Principal) {
	return listPageEntries(Object.values(features), (permission) => {
		if (permission === "public" || permission === "authenticated") return true;
		return permission === "admin" ? principal.isAdmin : access.allows(principal, permission as PermissionType);
	});
}

/** Returns the authentication with the expiry in whole seconds. Clients expect that here, unlike in all other responses. */
function toAuthentication(authentication: Principal["authentication"]): Principal["authentication"] {
	if (authentication.method !== "authentication token") return authentication;
	return { ...authentication, token_expire: authentication.token_expire.replace(/\.\d+Z$/, "Z") };
}
