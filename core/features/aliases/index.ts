import type { HttpFeature } from "../../http/http-feature.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { Kernel } from "../../kernel/kernel.ts";
import type { Access } from "../access/access-api.ts";
import type { RegisterFiles } from "../packs/pack-files-api.ts";
import type { Rules } from "../rules/rules-api.ts";
import { AliasExecutions } from "./alias-executions.ts";
import { aliasExecutionRoutes } from "./alias-executions-routes.ts";
import { toAliasInput } from "./alias-file.ts";
import { AliasSecrets } from "./alias-secrets.ts";
import { StoredAliases } from "./aliases.ts";
import { registerAnswerRule } from "./answer-rule.ts";
import type { AliasesApi } from "./api.ts";
import { chatRunner, createChatRunner } from "./chat-runner.ts";
import { registerAlias } from "./register-alias.ts";
import { ResultMessages } from "./result-messages.ts";
import { aliasRoutes } from "./routes.ts";

export interface AliasesNeeds {
	readonly access: Access;
	readonly rules: Rules;
	readonly registerFiles: RegisterFiles;
}

/** Creates the feature for action aliases: commands from a chat that run actions, and the answers to the chat. */
export function createAliasesFeature(kernel: Kernel, { access, rules, registerFiles }: AliasesNeeds): HttpFeature<AliasesApi> {
	const { storage, options, dependencies } = kernel;
	const principal: Principal = { username: options.system_user.user, isAdmin: true, authentication: { method: "none" } };
	// Called only when an alias is used, so that a service without chats has no rule for them.
	const answer = () => registerAnswerRule({ storage, rules, principal });
	const secrets = new AliasSecrets(kernel);
	const aliases = new StoredAliases({ ...kernel, secrets, answer, executions: new AliasExecutions({ ...kernel, answer }) });
	const results = new ResultMessages({
		...kernel,
		...{ access, secrets, masked: options.api.mask_secrets },
		webUrl: () => (options.webui.webui_base_url || dependencies.apiUrl()).replace(/\/+$/, ""),
	});
	return {
		api: { aliases },
		runners: new Map([[chatRunner, createChatRunner({ ...kernel, access, aliases, results })]]),
		async register() {
			await registerFiles({
				kind: "action_alias",
				folder: "aliases",
				toInput: toAliasInput,
				register: (input, { isOverridden, assertPermitted }) =>
					registerAlias({ storage, aliases, principal, assertPermitted }, input, isOverridden),
				remove: (ref) => aliases.remove(ref),
			});
			if ((await storage.count("action_alias", {})) > 0) await answer();
		},
		routes: [...aliasRoutes, ...aliasExecutionRoutes],
	};
}
