import type { ActionSignature, FoundExpression, JsonValue, SvcErrorCode } from "../../core/contract/index.ts";

/** Purpose of reading a definition. */
export type DefinitionTask = "inspect" | "inspectForRun" | "read" | "graph";

/** A call of `Expressions.find`. */
export interface FindCall {
	readonly value: JsonValue;
	readonly language: "jinja" | undefined;
	readonly functions: readonly string[] | undefined;
}

/** Expressions and actions that the thread has received so far. */
export interface KnownAnswers {
	/** Found uses of expressions, by the key of the call (`keyOfCall`). */
	readonly uses: ReadonlyMap<string, readonly FoundExpression[]>;
	readonly actions: ReadonlyMap<string, ActionSignature | undefined>;
	/** False if actions are not checked. */
	readonly findsActions: boolean;
}

export interface DefinitionRequest {
	readonly task: DefinitionTask;
	readonly text: string;
	readonly known: KnownAnswers;
}

/** Expressions and actions that the thread needs before it can return a result. */
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

/** Returns a unique key of a call. Strings are used directly, since most values are strings. */
export function keyOfCall({ value, language, functions }: FindCall): string {
	const text =
		typeof value === "string"
			? value
			: `json ${JSON.stringify(value, (_, member) => (typeof member === "bigint" ? `${member}n` : member))}`;
	return `${language ?? ""} ${functions === undefined ? "" : "calls"} ${typeof value} ${text}`;
}
