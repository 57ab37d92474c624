import type { ArithmeticOperator, ComparisonOperator } from "./operators.ts";
import type { Value } from "./values.ts";

/** Arguments of a call, not yet evaluated. */
export interface ArgumentExpressions {
	readonly positional: readonly Expression[];
	readonly named: readonly (readonly [name: string, value: Expression])[];
}

/** Filter or test with its arguments. */
export interface FilterCall {
	readonly name: string;
	readonly arguments: ArgumentExpressions;
}

/** Expression of a template. Chains of operators are lists instead of nested pairs, so that a long chain does not nest deeply. */
export type Expression =
	| { readonly kind: "constant"; readonly value: Value }
	| { readonly kind: "list"; readonly items: readonly Expression[] }
	| { readonly kind: "object"; readonly entries: readonly (readonly [key: Expression, value: Expression])[] }
	/** Variable with constant members: `a`, `a.b`, `a['b.c']`. */
	| { readonly kind: "path"; readonly name: string; readonly keys: readonly string[] }
	| { readonly kind: "member"; readonly object: Expression; readonly key: Expression }
	| { readonly kind: "slice"; readonly object: Expression; readonly bounds: readonly (Expression | undefined)[] }
	| { readonly kind: "call"; readonly name: string; readonly arguments: ArgumentExpressions }
	| { readonly kind: "method"; readonly object: Expression; readonly name: string; readonly arguments: ArgumentExpressions }
	| { readonly kind: "filter"; readonly input: Expression; readonly filter: FilterCall }
	| { readonly kind: "test"; readonly input: Expression; readonly test: FilterCall; readonly isNegated: boolean }
	| { readonly kind: "sign"; readonly operator: "+" | "-"; readonly operand: Expression }
	| { readonly kind: "not"; readonly operand: Expression }
	| { readonly kind: "and" | "or"; readonly operands: readonly Expression[] }
	| { readonly kind: "arithmetic"; readonly first: Expression; readonly rest: readonly (readonly [ArithmeticOperator, Expression])[] }
	| { readonly kind: "comparison"; readonly first: Expression; readonly rest: readonly (readonly [ComparisonOperator, Expression])[] }
	| { readonly kind: "conditional"; readonly test: Expression; readonly then: Expression; readonly otherwise: Expression | undefined };

export type Statement =
	| { readonly kind: "text"; readonly text: string }
	| { readonly kind: "output"; readonly expression: Expression }
	| {
			readonly kind: "if";
			readonly branches: readonly (readonly [test: Expression, body: readonly Statement[]])[];
			readonly otherwise: readonly Statement[];
	  }
	| {
			readonly kind: "for";
			readonly targets: readonly string[];
			readonly iterable: Expression;
			readonly condition: Expression | undefined;
			readonly body: readonly Statement[];
			readonly otherwise: readonly Statement[];
	  }
	| { readonly kind: "set"; readonly targets: readonly string[]; readonly value: Expression }
	| { readonly kind: "set-member"; readonly name: string; readonly member: string; readonly value: Expression }
	| { readonly kind: "set-block"; readonly name: string; readonly filters: readonly FilterCall[]; readonly body: readonly Statement[] };
