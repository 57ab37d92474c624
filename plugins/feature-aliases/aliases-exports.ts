import type { JsonObject } from "../../core/contract/index.ts";
import type { ExecutionView, Page, Paging, Principal } from "../../core/feature.ts";
import type { ActionAliasEntity, AliasFormat } from "./entities.ts";
import type { CommandValues } from "./format/alias-format.ts";

/** Acknowledgement that is sent when the executions have been started. */
export interface AliasAck {
	/** True to send the acknowledgement. Default true. */
	readonly enabled?: boolean;
	/** Template, which may use `execution` and `actionalias`. */
	readonly format?: string | null;
	/** True to append the address of the execution. Default true. */
	readonly append_url?: boolean;
	/** Arbitrary data for the chat; may contain templates. */
	readonly extra?: JsonObject | null;
}

/** Message that is sent when the execution has ended. */
export type AliasResult = Omit<AliasAck, "append_url">;

/** Body of requests that create or update an alias. */
export interface AliasInput {
	readonly name: string;
	/** Name of the pack. Default: `default`; in an update, the current pack of the alias. */
	readonly pack?: string;
	readonly description?: string;
	/** True if commands may match the alias. Default true. */
	readonly enabled?: boolean;
	/** Ref of the action; it need not exist. */
	readonly action_ref: string;
	readonly formats: readonly AliasFormat[];
	readonly ack?: AliasAck;
	readonly result?: AliasResult;
	readonly extra?: JsonObject;
	/** Fixed parameters of the action, which commands cannot set; may contain templates. */
	readonly immutable_parameters?: JsonObject;
	readonly metadata_file?: string;
}

/** Filter of a list of aliases. */
export interface AliasFilter {
	readonly id?: string | readonly string[];
	readonly name?: string | readonly string[];
	readonly pack?: string;
	readonly enabled?: boolean;
}

/** Match of a command with a format. */
export interface AliasMatch {
	readonly alias: ActionAliasEntity;
	readonly display: string;
	readonly representation: string;
	/** Values from the command, one entry for each requested execution. */
	readonly values: readonly CommandValues[];
}

/** One command in the list of commands. */
export interface AliasHelp {
	readonly pack: string;
	readonly display: string;
	readonly description: string;
}

/** Information that a chat sends with a command. */
export interface AliasOrigin {
	/** User of the chat who wrote the command; need not be a user of the service. */
	readonly user?: string | null;
	readonly source_channel: string;
	/** Data of the chat, which is returned unchanged with the answer. */
	readonly source_context?: JsonObject;
	readonly notification_channel?: string | null;
	readonly notification_route?: string | null;
	/** Execution that issues the command; the started executions become its children. Undefined for requests over the API. */
	readonly parent?: string;
}

/** Action aliases of an engine. */
export interface Aliases {
	/** Lists aliases, by default ordered by pack and name. */
	list(
		filter: AliasFilter,
		paging: Paging & { readonly orderBy?: readonly (readonly [keyof ActionAliasEntity, "asc" | "desc"])[] },
	): Promise<Page<ActionAliasEntity>>;
	/** Returns an alias by its ref or id. Throws `SVC_NOT_FOUND`. */
	get(refOrId: string): Promise<ActionAliasEntity>;
	/** Creates an alias. Throws `SVC_CONFLICT` if the pack already has an alias with the name. The principal becomes its author. */
	create(input: AliasInput, principal: Principal): Promise<ActionAliasEntity>;
	/**
	 * Replaces all fields of an alias. The principal becomes its author. `********` for a secret parameter of the same action keeps the
	 * stored value.
	 */
	update(refOrId: string, input: AliasInput, principal: Principal): Promise<ActionAliasEntity>;
	/** Enables or disables an alias. All other fields, including the author, keep their current values. */
	switch(refOrId: string, enabled: boolean): Promise<ActionAliasEntity>;
	remove(refOrId: string): Promise<void>;
	/** Returns the aliases with the values masked that their actions declare as secret. */
	mask(aliases: readonly ActionAliasEntity[]): Promise<readonly ActionAliasEntity[]>;
	/** Lists the commands of enabled aliases, by pack and name. `filter` is a regular expression. */
	help(query: Paging & { readonly pack?: string | undefined; readonly filter?: string | undefined }): Promise<Page<AliasHelp>>;
	/**
	 * Returns the enabled alias that a command matches. Throws `SVC_INVALID` if none or several match. `mayName` selects the aliases that
	 * the error message may name, by default all.
	 */
	match(command: string, mayName?: (alias: ActionAliasEntity) => boolean): Promise<AliasMatch>;
	/** Matches a command against one format of a named alias. Throws `SVC_NOT_FOUND`, or `SVC_INVALID` if the command does not match. */
	read(asked: { readonly name: string; readonly format: string; readonly command: string }): Promise<AliasMatch>;
	/**
	 * Starts the executions that a command requests in the name of `principal`. The caller has checked the permission. Templates of the
	 * alias are rendered with the permissions of its author.
	 */
	execute(match: AliasMatch, origin: AliasOrigin, principal: Principal): Promise<readonly ExecutionView[]>;
}

/** Members that this feature adds to the engine. */
export interface AliasesApi {
	readonly aliases: Aliases;
}

declare module "../../core/feature.ts" {
	interface Engine extends AliasesApi {}
}
