import type { ActionSignature, ExpressionUse, JsonValue, SvcErrorCode } from "../../core/contract/index.ts";

/** What a definition is read for. */
export type DefinitionTask = "inspect" | "inspectForRun" | "read" | "graph";

/** A call of `Expressions.find`. */
export interface FindCall {
	readonly value: JsonValue;
	readonly language: "jinja" | undefined;
	readonly functions: readonly string[] | undefined;
}

/** What the thread knows of expressions and actions. */
export interface KnownAnswers {
	/** By `keyOfCall`. */
	readonly uses: ReadonlyMap<string, readonly ExpressionUse[]>;
	readonly actions: ReadonlyMap<string, ActionSignature | undefined>;
	/** False: actions are not looked at. */
	readonly findsActions: boolean;
}

export interface DefinitionRequest {
	readonly task: DefinitionTask;
	readonly text: string;
	readonly known: KnownAnswers;
}

/** What the thread must know before it can tell anything. */
export interface MissingAnswers {
	readonly finds: readonly FindCall[];
	readonly refs: readonly string[];
}

export type DefinitionReply =
	| { readonly kind: "result"; readonly result: unknown }
	| { readonly kind: "missing"; readonly missing: MissingAnswers }
	| {
			readonly kind: "error";
			readonly code: SvcErrorCode | undefined;
			readonly message: string;
			readonly facts: Readonly<Record<string, unknown>>;
	  };

/** Texts stand for themselves, since most values are texts. */
export function keyOfCall({ value, language, functions }: FindCall): string {
	const text =
		typeof value === "string"
			? value
			: `json ${JSON.stringify(value, (_, member) => (typeof member === "bigint" ? `${member}n` : member))}`;
	return `${language ?? ""} ${functions === undefined ? "" : "calls"} ${typeof value} ${text}`;
}
