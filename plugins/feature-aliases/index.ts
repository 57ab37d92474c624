import { isDeepStrictEqual } from "node:util";
import { isSvcError } from "../../core/contract/index.ts";
import {
	type AssertPermitted,
	defineFeature,
	type HttpFeature,
	type Kernel,
	type NamedFeatures,
	type Principal,
	type ResourceTypeDefinition,
	type RuleInput,
	type Rules,
	type Uses,
} from "../../core/feature.ts";
import { AliasExecutions } from "./alias-executions.ts";
import { aliasExecutionRoutes } from "./alias-executions-routes.ts";
import { toAliasFields } from "./alias-fields.ts";
import { toAliasInput } from "./alias-file.ts";
import { toPackAliasRights } from "./alias-rights.ts";
import { AliasSecrets } from "./alias-secrets.ts";
import { StoredAliases } from "./aliases.ts";
import type { Aliases, AliasesApi, AliasInput } from "./aliases-exports.ts";
import { chatRunner, createChatRunner } from "./chat-runner.ts";
import { chatopsPack } from "./chatops-pack.ts";
import { type ActionAliasEntity, actionAliasKind } from "./entities.ts";
import { aliasFileReaders } from "./pack-files.ts";
import { ResultMessages } from "./result-messages.ts";
import { aliasRoutes } from "./routes.ts";

declare module "../../core/feature.ts" {
	interface EntityMap {
		action_alias: ActionAliasEntity;
	}
	interface PermissionVerbs {
		action_alias: "list" | "view" | "create" | "modify" | "match" | "help" | "delete" | "all";
	}
}

const kinds = { action_alias: actionAliasKind };

const permissions: { readonly action_alias: ResourceTypeDefinition } = {
	action_alias: {
		verbs: ["list", "view", "create", "modify", "match", "help", "delete", "all"],
		isInPacks: true,
		global: ["match", "help"],
	},
};

export type { AliasesApi } from "./aliases-exports.ts";
export type { ActionAliasEntity, AliasFormat } from "./entities.ts";

/** Action aliases: commands from a chat that run actions, and the answers to the chat. */
export const aliases = () =>
	defineFeature({
		name: "aliases",
		kinds,
		permissions,
		requires: ["access", "packs", "rules"],
		fileReaders: aliasFileReaders,
		packs: [chatopsPack],
		create: createAliasesFeature,
	});

function createAliasesFeature(
	kernel: Kernel,
	{ access: { api: accessApi }, packs, rules: { api: rulesApi } }: Pick<NamedFeatures, "access" | "packs" | "rules">,
): HttpFeature<AliasesApi> {
	const { access } = accessApi;
	const { rules } = rulesApi;
	const { storage, options, dependencies } = kernel;
	const principal: Principal = { username: options.system_user.user, isAdmin: true, authentication: { method: "none" } };
	// Called only if an alias is created, registered or used, so that a service without aliases does not have this rule.
	const answer = () => registerAnswerRule({ storage, rules, principal });
	const secrets = new AliasSecrets(kernel);
	const stored = new StoredAliases({ ...kernel, secrets, answer, executions: new AliasExecutions({ ...kernel, answer }) });
	const results = new ResultMessages({
		...kernel,
		...{ access, secrets, masked: options.api.mask_secrets },
		webUrl: () => (options.webui.webui_base_url || dependencies.apiUrl()).replace(/\/+$/, ""),
	});
	return {
		api: { aliases: stored },
		runners: new Map([[chatRunner, createChatRunner({ ...kernel, access, aliases: stored, results })]]),
		async register() {
			await packs.registerFiles({
				kind: "action_alias",
				folder: "aliases",
				toInput: toAliasInput,
				register: (input, { isOverridden, assertPermitted }) =>
					registerAlias({ storage, aliases: stored, principal, assertPermitted }, input, isOverridden),
				remove: (ref) => stored.remove(ref),
			});
			if ((await storage.count("action_alias", {})) > 0) await answer();
		},
		routes: [...aliasRoutes, ...aliasExecutionRoutes],
	};
}

interface RegisterAliasDependencies extends Uses<"storage"> {
	readonly aliases: Pick<Aliases, "create" | "update">;
	/** Author of the aliases of packs. */
	readonly principal: Principal;
	readonly assertPermitted: AssertPermitted;
}

/**
 * Creates or updates an alias from its file. `enabled` of an existing alias is kept: files are registered at every start, which would
 * otherwise undo an operator's change. With `isOverridden`, `enabled` comes from an operator and is always stored.
 */
async function registerAlias(
	{ storage, aliases, principal, assertPermitted }: RegisterAliasDependencies,
	input: AliasInput,
	isOverridden: boolean,
): Promise<void> {
	const pack = input.pack ?? "default";
	const [known] = await storage.find("action_alias", { where: { ref: `${pack}.${input.name}` }, limit: 1 });
	if (known === undefined) {
		assertPermitted(toPackAliasRights(input, pack));
		await aliases.create(input, principal);
		return;
	}
	const { enabled = true } = isOverridden ? input : known;
	if (isDeepStrictEqual({ ...known, ...toAliasFields({ ...input, enabled }, pack), author: principal.username, scopes: null }, known))
		return;
	assertPermitted(toPackAliasRights(input, pack));
	await aliases.update(known.ref, { ...input, enabled }, principal);
}

/** Rule that posts results to a chat: for each notification that names a channel, on the route that the chat bridge has chosen. */
const answerRule: RuleInput & { readonly pack: string } = {
	name: "notify",
	pack: "chatops",
	description: "Sends the results of chat commands to their chat.",
	trigger: { type: "core.svc.generic.notifytrigger" },
	criteria: {
		"trigger.data.source_channel": { type: "exists", pattern: "" },
		"trigger.route": { type: "matchregex", pattern: "^[A-Za-z0-9_-]{1,64}$" },
	},
	action: {
		ref: "chatops.post_result",
		parameters: {
			execution_id: "{{ trigger.execution_id }}",
			channel: "{{ trigger.data.source_channel }}",
			user: "{{ trigger.data.user or '' }}",
			context: "{{ (trigger.data.source_context or {}) | to_json_string }}",
			route: "{{ trigger.route }}",
		},
	},
	enabled: true,
};

interface AnswerRuleDependencies extends Uses<"storage"> {
	readonly rules: Pick<Rules, "create" | "update">;
	/** Owner of the rule. */
	readonly principal: Principal;
}

/** Creates the rule that delivers answers to chats, or updates it if it differs. An existing rule stays disabled if it was disabled. */
async function registerAnswerRule({ storage, rules, principal }: AnswerRuleDependencies): Promise<void> {
	const { pack, name, description, criteria, action } = answerRule;
	const [known] = await storage.find("rule", { where: { ref: `${pack}.${name}` }, limit: 1 });
	if (known === undefined) {
		await rules.create(answerRule, principal).catch((error: unknown) => {
			// Another node has created the rule at the same time.
			if (!isSvcError(error, "SVC_CONFLICT")) throw error;
		});
		return;
	}
	const said = [known.description, known.criteria, known.action_ref, known.action_parameters, known.user];
	if (isDeepStrictEqual(said, [description, criteria, action.ref, action.parameters, principal.username])) return;
	await rules.update(known.ref, { ...answerRule, enabled: known.enabled }, principal);
}
