import {
	type ExpressionScope,
	type Expressions,
	type FoundExpression,
	isJsonObject,
	type JsonValue,
	SvcError,
} from "../../../core/contract/index.ts";

/**
 * As much of the language of `<% %>` as tests of the conductor need: calls, members, elements, texts, numbers, lists, `+`, `=`, `<`, `and`,
 * `or`, `not`. Names without parentheses are texts.
 */
export class TestExpressions implements Expressions {
	/** Expressions that are evaluated, with how often. */
	readonly counts = new Map<string, number>();
	/** While it is true, what is evaluated cannot be reached. */
	isAway = false;

	find(value: JsonValue): readonly FoundExpression[] {
		if (typeof value === "string") return [...value.matchAll(/<%(.*?)%>/g)].map(([expression, inner]) => toUse(expression, inner ?? ""));
		if (Array.isArray(value)) return value.flatMap((part) => this.find(part));
		return isJsonObject(value) ? Object.values(value).flatMap((part) => this.find(part)) : [];
	}

	async evaluate(value: JsonValue, scope: ExpressionScope): Promise<JsonValue> {
		if (this.isAway) throw new SvcError("SVC_UNAVAILABLE", "the datastore is away");
		return this.#evaluate(value, scope);
	}

	#evaluate(value: JsonValue, scope: ExpressionScope): JsonValue {
		if (Array.isArray(value)) return value.map((part) => this.#evaluate(part, scope));
		if (isJsonObject(value)) return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, this.#evaluate(part, scope)]));
		if (typeof value !== "string") return value;
		const [whole] = /^<%[^%]*%>$/.exec(value) ?? [];
		if (whole !== undefined) return this.#one(whole, scope);
		return value.replace(/<%.*?%>/g, (expression) => String(this.#one(expression, scope)));
	}

	#one(expression: string, scope: ExpressionScope): JsonValue {
		this.counts.set(expression, (this.counts.get(expression) ?? 0) + 1);
		try {
			return new Reader(expression.slice(2, -2), scope).read();
		} catch (error) {
			const reason = error instanceof Error ? error.message : String(error);
			throw new SvcError("SVC_INVALID", `Unable to evaluate expression '${expression}'. ${reason}`, {
				facts: { expression, language: "yaql" },
			});
		}
	}
}

function toUse(expression: string, inner: string): FoundExpression {
	const variables = [...inner.matchAll(/ctx\((\w+)\)|ctx\(\)\.(\w+)/g)].map(([, one, other]) => one ?? other ?? "");
	const functions = [...inner.matchAll(/(?<![.\w])(\w+)\(/g)].map(([, name]) => name ?? "");
	return { language: "yaql", expression, variables: [...new Set(variables)], functions };
}

class Reader {
	readonly #tokens: readonly string[];
	readonly #scope: ExpressionScope;
	#at = 0;

	constructor(text: string, scope: ExpressionScope) {
		this.#tokens = text.match(/'[^']*'|\d+|\w+|[().,[\]+=<-]/g) ?? [];
		this.#scope = scope;
	}

	read(): JsonValue {
		const value = this.#or();
		if (this.#at < this.#tokens.length) throw new Error(`"${this.#tokens[this.#at]}" is not expected`);
		return value;
	}

	#or(): JsonValue {
		let value = this.#and();
		while (this.#take("or")) value = [value, this.#and()].find(Boolean) ?? false;
		return value;
	}

	#and(): JsonValue {
		let value = this.#not();
		while (this.#take("and")) value = [value, this.#not()].every(Boolean);
		return value;
	}

	#not(): JsonValue {
		return this.#take("not") ? !this.#not() : this.#compare();
	}

	#compare(): JsonValue {
		const value = this.#sum();
		if (this.#take("=")) return JSON.stringify(value) === JSON.stringify(this.#sum());
		return this.#take("<") ? Number(value) < Number(this.#sum()) : value;
	}

	#sum(): JsonValue {
		let value = this.#member();
		while (this.#take("+")) {
			const other = this.#member();
			if (Array.isArray(value) && Array.isArray(other)) value = [...value, ...other];
			else if (typeof value === "string" && typeof other === "string") value = value + other;
			else if (typeof value === "number" && typeof other === "number") value = value + other;
			else throw new Error("these cannot be added");
		}
		return value;
	}

	#member(): JsonValue {
		let value = this.#primary();
		for (;;) {
			if (this.#take(".")) value = member(value, this.#next());
			else if (this.#take("[")) {
				value = member(value, this.#or());
				this.#expect("]");
			} else return value;
		}
	}

	#primary(): JsonValue {
		const token = this.#next();
		if (token === "(") {
			const value = this.#or();
			this.#expect(")");
			return value;
		}
		if (token === "[") return this.#list("]");
		if (/^\d+$/.test(token)) return Number(token);
		if (token.startsWith("'")) return token.slice(1, -1);
		if (token === "true" || token === "false" || token === "null") return JSON.parse(token);
		return this.#take("(") ? this.#call(token, this.#list(")")) : token;
	}

	#list(close: string): readonly JsonValue[] {
		const values: JsonValue[] = [];
		while (!this.#take(close)) {
			values.push(this.#or());
			this.#take(",");
		}
		return values;
	}

	#call(name: string, values: readonly JsonValue[]): JsonValue {
		const [first] = values;
		if (name === "ctx") return first === undefined ? this.#scope.variables : member(this.#scope.variables, first);
		if (name === "repeat") return String(first).repeat(Number(values[1]));
		if (name === "len") return Array.isArray(first) || typeof first === "string" ? first.length : 0;
		const found = this.#scope.functions?.[name];
		if (found === undefined) throw new Error(`Unknown function "${name}"`);
		return found(values, {});
	}

	#take(token: string): boolean {
		if (this.#tokens[this.#at] !== token) return false;
		this.#at++;
		return true;
	}

	#next(): string {
		const token = this.#tokens[this.#at++];
		if (token === undefined) throw new Error("it ends too early");
		return token;
	}

	#expect(token: string): void {
		if (!this.#take(token)) throw new Error(`"${token}" is expected`);
	}
}

function member(value: JsonValue, name: JsonValue): JsonValue {
	if (Array.isArray(value) && typeof name === "number") return value[name] ?? null;
	if (!isJsonObject(value) || !Object.hasOwn(value, String(name))) throw new Error(`Unable to resolve key '${name}'`);
	return value[String(name)] ?? null;
}
