import {
	type ExecutionEntity,
	type JsonObject,
	type RunContext,
	type Runner,
	type RunResult,
	type Storage,
	SvcError,
} from "../../core/contract/index.ts";
import { type Access, type Authority, type Principal, toActionResource, type Uses, withScopes } from "../../core/feature.ts";
import type { Aliases, AliasMatch, AliasOrigin } from "./aliases-exports.ts";
import { toMatch } from "./records.ts";
import type { ResultMessages } from "./result-messages.ts";

/** Runner type of the actions of the pack `chatops`. No other pack may use it. */
export const chatRunner = "chatops";

export interface ChatRunnerDependencies extends Uses<"storage"> {
	readonly authority: Pick<Authority, "principalOf">;
	readonly access: Pick<Access, "assert" | "allows">;
	readonly aliases: Aliases;
	readonly results: ResultMessages;
}

/** Pattern of a route: words separated by dots, as in events of announcements. */
const routePattern = /^[A-Za-z0-9_-]{1,64}(\.[A-Za-z0-9_-]{1,64}){0,3}$/;

/** Runs the actions of the pack `chatops`. */
export function createChatRunner(parts: ChatRunnerDependencies): Runner {
	const actions = new ChatActions(parts);
	return {
		description: "Runs the actions of the pack chatops: chat commands and their replies.",
		parameters: {},
		capabilities: {},
		entryPoint: "forbidden",
		run: (context) => actions.run(context),
	};
}

class ChatActions {
	readonly #parts: ChatRunnerDependencies;
	readonly #actions: Readonly<Record<string, (context: RunContext, principal: Principal) => Promise<JsonObject>>> = {
		post_result: (context, principal) => this.#postResult(context, principal),
		format_execution_result: async ({ actionParameters }, principal) => ({ ...(await this.#resultOf(actionParameters, principal))?.said }),
		match: ({ actionParameters }, principal) => this.#match(toText(actionParameters, "text"), principal),
		match_and_execute: ({ actionParameters: { source_channel, user, ...given }, execution_id: parent }, principal) =>
			this.#execute(toText(given, "text"), { source_channel: orEmpty(source_channel), user: orEmpty(user), parent }, principal),
		run: ({ actionParameters: { channel, user, route, ...given }, execution_id: parent }, principal) =>
			this.#execute(
				toText(given, "text"),
				{ source_channel: orEmpty(channel), user: orEmpty(user), notification_route: toRoute(route), parent },
				principal,
			),
	};

	constructor(parts: ChatRunnerDependencies) {
		this.#parts = parts;
	}

	async run(context: RunContext): Promise<RunResult> {
		const [pack, name = ""] = context.action_ref.split(".", 2);
		const action = Object.hasOwn(this.#actions, name) ? this.#actions[name] : undefined;
		// Otherwise an action of another pack could use this runner type with its own schema and bypass the parameter checks.
		if (pack !== "chatops" || action === undefined) {
			throw new SvcError("SVC_RUNNER", `runner type "${chatRunner}" runs only actions of the pack "chatops", not "${context.action_ref}"`);
		}
		return { succeeded: true, result: await action(context, await this.#whoAsks(context.execution_id)) };
	}

	async #postResult({ actionParameters, announce }: RunContext, principal: Principal): Promise<JsonObject> {
		const { channel, user, whisper, context, route } = actionParameters;
		const said = await this.#resultOf(actionParameters, principal);
		if (said === undefined) return { said: false };
		const { message = "", extra = {} } = said.said;
		const payload = { message, channel: orEmpty(channel), user: user ?? null, whisper: whisper === true, context: context ?? null, extra };
		announce(toRoute(route), payload, { about: said.execution });
		return { said: true, ...payload };
	}

	#resultOf(parameters: JsonObject, principal: Principal) {
		return this.#parts.results.of(toText(parameters, "execution_id"), principal);
	}

	async #match(text: string, principal: Principal): Promise<JsonObject> {
		const { access } = this.#parts;
		access.assert(principal, "action_alias_match");
		const match = await this.#find(text, principal);
		const [shown = match.alias] = await this.#parts.aliases.mask([match.alias]);
		return toMatch(match, shown) as JsonObject;
	}

	async #execute(text: string, origin: AliasOrigin & { readonly parent: string }, principal: Principal): Promise<JsonObject> {
		const { storage, access, aliases } = this.#parts;
		await assertEnds(storage, origin.parent);
		const match = await this.#find(text, principal);
		access.assert(principal, "action_execute", toActionResource(match.alias.action_ref));
		const started = await aliases.execute(match, origin, principal);
		return { actionalias: match.alias.ref, executions: started.map(({ entity: { id, action_ref } }) => ({ id, action: action_ref })) };
	}

	#find(command: string, principal: Principal): Promise<AliasMatch> {
		return this.#parts.aliases.match(command, ({ action_ref }) =>
			this.#parts.access.allows(principal, "action_execute", toActionResource(action_ref)),
		);
	}

	/** Returns the principal whose permissions apply, narrowed to the scopes of the API key that requested the execution. */
	async #whoAsks(id: string): Promise<Principal> {
		const { storage, authority } = this.#parts;
		const [execution] = await storage.find("execution", { where: { id }, fields: ["user", "author", "scopes"], limit: 1 });
		if (execution === undefined) throw new SvcError("SVC_RUNNER", `execution "${id}" no longer exists`);
		const { user, author, scopes } = execution;
		const principal = { ...(await authority.principalOf(author ?? user)), username: user, ...(author !== null && { author }) };
		return withScopes(principal, scopes);
	}
}

function toText(parameters: JsonObject, name: string): string {
	const value = parameters[name];
	if (typeof value !== "string") throw new SvcError("SVC_INVALID", `${name}: must be a string`);
	return value;
}

function orEmpty(value: unknown): string {
	return typeof value === "string" ? value : "";
}

function toRoute(value: unknown): string {
	if (typeof value === "string" && routePattern.test(value)) return value;
	throw new SvcError("SVC_INVALID", "route: must consist of words of letters, digits, _ and -, separated by dots");
}

/** Maximum depth of commands whose executions issue further commands. Each command may start many executions. */
const maxDepth = 3;
/** Maximum number of ancestors that are read to count nested commands. */
const maxGenerations = 200;

type Said = Pick<ExecutionEntity, "parent_id" | "action_ref">;

/** Throws `SVC_INVALID` if a command is nested too deeply. A command that issues itself would otherwise never end. */
async function assertEnds(storage: Storage, executionId: string): Promise<void> {
	let commands = 0;
	let id: string | null = executionId;
	for (let generation = 0; id !== null && generation < maxGenerations; generation += 1) {
		const [execution]: Said[] = await storage.find("execution", { where: { id }, fields: ["parent_id", "action_ref"], limit: 1 });
		if (execution?.action_ref.startsWith("chatops.")) commands += 1;
		if (commands > maxDepth) {
			throw new SvcError("SVC_INVALID", `text: commands may be nested at most ${maxDepth} levels deep; does a command call itself?`);
		}
		id = execution?.parent_id ?? null;
	}
}
