/** Arguments of a call, positional ones first. A name is an expression, because the names in `switch` are conditions. */
export interface ArgumentExpressions {
	readonly positional: readonly Expression[];
	readonly named: readonly (readonly [name: Expression, value: Expression])[];
}

export type ChainOperator = "=~" | "!~" | "*" | "/" | "mod" | "+" | "-" | "<" | ">" | "<=" | ">=" | "=" | "!=" | "in";

/** Expression of YAQL. Chains of operators are lists instead of nested pairs, so that a long chain does not nest deeply. */
export type Expression =
	| { readonly kind: "constant"; readonly value: string | number | bigint | boolean | null; readonly isFloat?: boolean }
	/** Bare word: a string, or the name of an argument before `=>`. */
	| { readonly kind: "word"; readonly text: string }
	| { readonly kind: "variable"; readonly name: string }
	| { readonly kind: "list"; readonly items: readonly Expression[] }
	| { readonly kind: "object"; readonly entries: readonly (readonly [key: Expression, value: Expression])[] }
	| { readonly kind: "call"; readonly name: string; readonly arguments: ArgumentExpressions }
	| {
			readonly kind: "method";
			readonly object: Expression;
			readonly name: string;
			readonly arguments: ArgumentExpressions;
			/** True for `?.`, which returns null if the object is null. */
			readonly isSafe: boolean;
	  }
	| { readonly kind: "property"; readonly object: Expression; readonly name: string; readonly isSafe: boolean }
	| { readonly kind: "index"; readonly object: Expression; readonly arguments: ArgumentExpressions }
	| { readonly kind: "sign"; readonly operator: "+" | "-"; readonly operand: Expression }
	| { readonly kind: "not"; readonly operand: Expression }
	| { readonly kind: "and" | "or"; readonly operands: readonly Expression[] }
	| { readonly kind: "chain"; readonly first: Expression; readonly rest: readonly (readonly [ChainOperator, Expression])[] }
	| { readonly kind: "arrow"; readonly left: Expression; readonly right: Expression };
