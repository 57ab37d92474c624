import type { ServedFeature } from "../../http/served-feature.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { RegisterFiles } from "../packs/pack-files-api.ts";
import { AliasExecutions } from "./alias-executions.ts";
import { aliasExecutionRoutes } from "./alias-executions-routes.ts";
import { toAliasInput } from "./alias-file.ts";
import { AliasSecrets } from "./alias-secrets.ts";
import { StoredAliases } from "./aliases.ts";
import type { AliasesApi } from "./api.ts";
import { registerAlias } from "./register-alias.ts";
import { aliasRoutes } from "./routes.ts";

export interface AliasesNeeds {
	readonly registerFiles: RegisterFiles;
}

/** What people write in a chat to run actions. */
export function createAliasesFeature(kernel: Kernel, { registerFiles }: AliasesNeeds): ServedFeature<AliasesApi> {
	const aliases = new StoredAliases({ ...kernel, secrets: new AliasSecrets(kernel), executions: new AliasExecutions(kernel) });
	const principal: Principal = { username: kernel.options.system_user.user, isAdmin: true, authentication: { method: "none" } };
	return {
		api: { aliases },
		register: () =>
			registerFiles({
				kind: "action_alias",
				folder: "aliases",
				toInput: toAliasInput,
				register: (input, { isOverridden }) => registerAlias({ storage: kernel.storage, aliases, principal }, input, isOverridden),
				remove: (ref) => aliases.remove(ref),
			}),
		routes: [...aliasRoutes, ...aliasExecutionRoutes],
	};
}
