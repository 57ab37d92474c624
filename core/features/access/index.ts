import type { Options } from "../../contract/index.ts";
import type { HttpFeature } from "../../http/http-feature.ts";
import { toTimestamp } from "../../kernel/basics/clock.ts";
import type { Uses } from "../../kernel/basics/engine-parts.ts";
import { toActionResource } from "../../kernel/basics/refs.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import { hasAdminRole, RoleAccess } from "./access.ts";
import type { AccessApi } from "./api.ts";
import { StoredApiKeys } from "./api-keys.ts";
import { apiKeyRoutes } from "./api-keys-routes.ts";
import { VerifiedCredentials } from "./credentials.ts";
import { ensureFirstUser } from "./first-user.ts";
import { findFirstUserWarning } from "./first-user-checks-exports.ts";
import { loadPrincipal } from "./load-principal.ts";
import type { ProcessToken, ProcessTokens } from "./process-tokens-exports.ts";
import { roleRoutes } from "./roles-routes.ts";
import { ProviderSignOn } from "./single-sign-on.ts";
import { singleSignOnRoutes } from "./single-sign-on-routes.ts";
import { Tokens } from "./tokens.ts";
import { tokenRoutes } from "./tokens-routes.ts";
import { userRoutes } from "./user-routes.ts";

/** Creates the feature for authentication and authorization: sign-in, tokens, API keys and roles. */
export function createAccessFeature(kernel: Kernel): HttpFeature<AccessApi> {
	const { options, dependencies, authBackend, roles } = kernel;
	const parts = { ...kernel, logger: kernel.logger.withTag("auth") };
	const systemUser = options.system_user.user;
	const access = new RoleAccess({ ...parts, enabled: options.rbac.enable, config: dependencies.access });
	const apiKeys = new StoredApiKeys({ ...parts, systemUser });
	const credentials = new VerifiedCredentials({ ...parts, access, apiKeys });
	return {
		api: {
			credentials,
			singleSignOn: new ProviderSignOn({ ...parts, credentials }),
			apiKeys,
			access,
			processTokens: new StoredProcessTokens(kernel),
			async ensureFirstUser() {
				// Only nodes with a role that accepts sign-ins have started the backend.
				if (!options.auth.enable || authBackend === undefined || !roles.some((role) => role === "auth" || role === "api")) return undefined;
				const warning = findFirstUserWarning(options, dependencies.access);
				return ensureFirstUser({ ...{ backend: authBackend, systemUser, warning }, ...kernel, adminPassword: dependencies.adminPassword });
			},
		},
		expiringRecords: [{ kind: "token", timeField: "expiry", days: options.garbagecollector.tokens_ttl }],
		runCredentials: credentials.runTokens,
		authority: {
			principalOf: (username) => loadPrincipal(username, { access, systemUser }),
			isAdministrator: async (username) => !access.enabled || hasAdminRole(await access.rolesOf(username)),
			assertMayRun: (principal, actionRef) => access.assert(principal, "action_execute", toActionResource(actionRef)),
		},
		start: () => credentials.runTokens.start(),
		routes: [...userRoutes, ...tokenRoutes, ...singleSignOnRoutes, ...apiKeyRoutes, ...roleRoutes],
	};
}

interface ProcessTokenDependencies extends Uses<"storage" | "clock"> {
	readonly options: Pick<Options, "auth">;
}

class StoredProcessTokens implements ProcessTokens {
	readonly #parts: ProcessTokenDependencies;
	readonly #tokens: Tokens;

	constructor(parts: ProcessTokenDependencies) {
		this.#parts = parts;
		this.#tokens = new Tokens(parts);
	}

	async open(user: string, metadata: Readonly<Record<string, string>>): Promise<ProcessToken | undefined> {
		const { storage, clock, options } = this.#parts;
		const { enable, service_token_ttl: ttl } = options.auth;
		if (!enable) return undefined;
		const { id, token } = await this.#tokens.issue({ user, ttl, service: true, metadata });
		return {
			token,
			async renew() {
				await storage.update("token", id, { expiry: toTimestamp(clock.now() + ttl * 1_000_000) });
			},
			end: () => this.#tokens.revoke(id),
		};
	}
}
