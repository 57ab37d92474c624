/** Arguments of a call: the positional ones come first. A name is an expression, as `switch` has conditions for names. */
export interface ArgumentExpressions {
	readonly positional: readonly Expression[];
	readonly named: readonly (readonly [name: Expression, value: Expression])[];
}

export type ChainOperator = "=~" | "!~" | "*" | "/" | "mod" | "+" | "-" | "<" | ">" | "<=" | ">=" | "=" | "!=" | "in";

/** Chains of operators are lists rather than nested pairs, so that a long one does not nest deeply. */
export type Expression =
	| { readonly kind: "constant"; readonly value: string | number | bigint | boolean | null; readonly isFloat?: boolean }
	/** A bare word, which is a text, and the name of an argument in front of `=>`. */
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
			/** With `?.`, which gives null where the object is null. */
			readonly isSafe: boolean;
	  }
	| { readonly kind: "property"; readonly object: Expression; readonly name: string; readonly isSafe: boolean }
	| { readonly kind: "index"; readonly object: Expression; readonly arguments: ArgumentExpressions }
	| { readonly kind: "sign"; readonly operator: "+" | "-"; readonly operand: Expression }
	| { readonly kind: "not"; readonly operand: Expression }
	| { readonly kind: "and" | "or"; readonly operands: readonly Expression[] }
	| { readonly kind: "chain"; readonly first: Expression; readonly rest: readonly (readonly [ChainOperator, Expression])[] }
	| { readonly kind: "arrow"; readonly left: Expression; readonly right: Expression };
