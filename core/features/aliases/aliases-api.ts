import type { ActionAliasEntity, AliasFormat, JsonObject } from "../../contract/index.ts";
import type { Page, Paging } from "../../kernel/basics/pagination.ts";
import type { Principal } from "../../kernel/basics/principal.ts";
import type { ExecutionView } from "../../kernel/executions/executions-api.ts";
import type { CommandValues } from "../../language/aliases/alias-format.ts";

/** What is said when an execution has been asked for. */
export interface AliasAck {
	/** Default true. */
	readonly enabled?: boolean;
	/** Template, with `execution` and `actionalias`. */
	readonly format?: string | null;
	/** Whether the address of the execution is said as well. Default true. */
	readonly append_url?: boolean;
	/** Free data for the chat, with templates. */
	readonly extra?: JsonObject | null;
}

/** What is said when it has ended. */
export type AliasResult = Omit<AliasAck, "append_url">;

/** Body of alias create and update. */
export interface AliasInput {
	readonly name: string;
	/** Default `default`; in an update the alias's own. */
	readonly pack?: string;
	readonly description?: string;
	/** Default true. */
	readonly enabled?: boolean;
	/** Ref of the action; it need not exist. */
	readonly action_ref: string;
	readonly formats: readonly AliasFormat[];
	readonly ack?: AliasAck;
	readonly result?: AliasResult;
	readonly extra?: JsonObject;
	/** Values that no command may set, with templates. */
	readonly immutable_parameters?: JsonObject;
	readonly metadata_file?: string;
}

/** Which aliases a list holds. */
export interface AliasFilter {
	readonly id?: string | readonly string[];
	readonly name?: string | readonly string[];
	readonly pack?: string;
	readonly enabled?: boolean;
}

/** A format that fits a command. */
export interface AliasMatch {
	readonly alias: ActionAliasEntity;
	readonly display: string;
	readonly representation: string;
	/** What the command says, once for each execution that it asks for. */
	readonly values: readonly CommandValues[];
}

/** A line of the help. */
export interface AliasHelp {
	readonly pack: string;
	readonly display: string;
	readonly description: string;
}

/** What a chat says besides the command. */
export interface AliasOrigin {
	/** Whoever wrote it in the chat; need not be a user of the service. */
	readonly user?: string | null;
	readonly source_channel: string;
	/** The chat's own, which comes back unchanged with the answer. */
	readonly source_context?: JsonObject;
	readonly notification_channel?: string | null;
	readonly notification_route?: string | null;
	/** The execution that says it, where one does: what it starts are its children. No request has it. */
	readonly parent?: string;
}

/** The action aliases of an engine. */
export interface Aliases {
	/** By pack, then name, unless told otherwise. */
	list(
		filter: AliasFilter,
		paging: Paging & { readonly orderBy?: readonly (readonly [keyof ActionAliasEntity, "asc" | "desc"])[] },
	): Promise<Page<ActionAliasEntity>>;
	/** By ref or id; `SVC_NOT_FOUND`. */
	get(refOrId: string): Promise<ActionAliasEntity>;
	/** `SVC_CONFLICT` when its name is taken in the pack. The principal becomes its author. */
	create(input: AliasInput, principal: Principal): Promise<ActionAliasEntity>;
	/** The principal becomes its author. Full replacement. `********` for a secret parameter of the same action keeps the stored one. */
	update(refOrId: string, input: AliasInput, principal: Principal): Promise<ActionAliasEntity>;
	/** Only whether it may be used: all else, the author too, stays as it is by then. */
	switch(refOrId: string, enabled: boolean): Promise<ActionAliasEntity>;
	remove(refOrId: string): Promise<void>;
	/** With the values masked that their actions call secret. */
	mask(aliases: readonly ActionAliasEntity[]): Promise<readonly ActionAliasEntity[]>;
	/** What may be written, of enabled aliases, by pack and name. `filter` is a regular expression. */
	help(query: Paging & { readonly pack?: string | undefined; readonly filter?: string | undefined }): Promise<Page<AliasHelp>>;
	/**
	 * The enabled alias that a command fits. `SVC_INVALID` where none does, or several do; `mayName` says which of these the message may
	 * name, default all.
	 */
	match(command: string, mayName?: (alias: ActionAliasEntity) => boolean): Promise<AliasMatch>;
	/** What a command says by one format of a named alias. `SVC_NOT_FOUND`, and `SVC_INVALID` where it does not fit. */
	read(asked: { readonly name: string; readonly format: string; readonly command: string }): Promise<AliasMatch>;
	/**
	 * Start what a command asks for, in the name of `principal`, who has been asked for the permission. Templates of the alias are rendered
	 * with the permissions of its author.
	 */
	execute(match: AliasMatch, origin: AliasOrigin, principal: Principal): Promise<readonly ExecutionView[]>;
}
