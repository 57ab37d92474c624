import { type AnnouncementSubject, isJsonObject, type JsonObject, stringifyJson } from "../../core/contract/index.ts";
import {
	type Access,
	type ExecutionView,
	type Kernel,
	type Principal,
	presentRecord,
	toActionResource,
	toExecution,
	type Uses,
} from "../../core/feature.ts";
import type { AliasSecrets } from "./alias-secrets.ts";
import type { AliasResult } from "./aliases-exports.ts";
import type { ActionAliasEntity } from "./entities.ts";
import { toAlias } from "./records.ts";
import { type AliasMessage, renderMessage } from "./render-message.ts";

export interface ResultMessageDependencies extends Uses<"storage">, Pick<Kernel, "executions"> {
	readonly access: Pick<Access, "assert">;
	readonly secrets: AliasSecrets;
	/** True if values of secret parameters are masked. */
	readonly masked: boolean;
	/** Returns the address that `web_url` starts with. */
	readonly webUrl: () => string;
}

/** Message about the end of an execution. */
export interface ResultMessage {
	readonly said: AliasMessage;
	readonly execution: AnnouncementSubject;
}

/** Maximum characters of a message. Chats accept far fewer. */
const maxMessageLength = 20_000;

/** Creates the messages about the ends of executions. */
export class ResultMessages {
	readonly #parts: ResultMessageDependencies;

	constructor(parts: ResultMessageDependencies) {
		this.#parts = parts;
	}

	/**
	 * Returns the message about an execution. Returns undefined if the alias sends none. Throws `SVC_FORBIDDEN` if the principal may not
	 * view the execution.
	 */
	async of(executionId: string, principal: Principal): Promise<ResultMessage | undefined> {
		const { executions, access, masked, webUrl } = this.#parts;
		const view = await executions.get(executionId);
		access.assert(principal, "execution_view", toActionResource(view.entity.action_ref));
		const alias = await this.#aliasOf(view);
		const result: AliasResult = alias?.result ?? {};
		if (result.enabled === false) return undefined;
		const presentation = { webUrl: webUrl(), masked, mayView: () => true };
		const execution = (await presentRecord(() => toExecution(view, presentation))) as JsonObject;
		const { message = toPlainMessage(execution), extra } = await renderMessage(result, {
			execution,
			actionalias: alias === undefined ? {} : (toAlias(alias) as JsonObject),
		});
		const { action_ref, user } = view.entity;
		return { said: { message: shorten(message), ...(extra !== undefined && { extra }) }, execution: { action_ref, user } };
	}

	/** Returns the alias that has started the execution, with masked secrets. Returns undefined if none has, or if it was deleted. */
	async #aliasOf({ entity }: ExecutionView): Promise<ActionAliasEntity | undefined> {
		const named = entity.context["action_alias_ref"];
		const id = isJsonObject(named) ? named["id"] : undefined;
		if (typeof id !== "string") return undefined;
		const [found] = await this.#parts.storage.find("action_alias", { where: { id }, limit: 1 });
		return found && (await this.#parts.secrets.mask([found]))[0];
	}
}

/** Returns the message for an alias without a result template. */
function toPlainMessage({ status, result, liveaction }: JsonObject): string {
	const action = isJsonObject(liveaction) ? String(liveaction["action"]) : "";
	return [`${action}: ${String(status)}`, toPlainResult(result)].filter((line) => line !== "").join("\n");
}

function toPlainResult(result: unknown): string {
	if (!isJsonObject(result as JsonObject)) return "";
	const { stdout, stderr } = result as JsonObject;
	const printed = [stdout, stderr].filter((text) => typeof text === "string" && text !== "");
	return printed.length > 0 ? printed.join("\n") : stringifyJson(result, 2);
}

function shorten(text: string): string {
	return text.length > maxMessageLength ? `${text.slice(0, maxMessageLength)}…` : text;
}
