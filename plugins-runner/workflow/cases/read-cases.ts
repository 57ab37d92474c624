import type { ExecutionStatus, JsonObject, JsonValue } from "../../../core/contract/index.ts";
import { checkShape } from "../definition/check-shape.ts";
import { sortFindings } from "../definition/finding.ts";
import { parseYaml } from "../definition/parse-source.ts";
import { toInvalidError } from "../definition/read-definition.ts";
import type { Shape } from "../definition/shape.ts";

/** What an action of a case ends with. */
export interface GivenResult {
	readonly task: string;
	/** Undefined: of whichever. */
	readonly route: number | undefined;
	/** Which start of the task on its route, from 1; another attempt counts as another start. Undefined: each of them. */
	readonly occurrence: number | undefined;
	readonly item: number | undefined;
	readonly status: ExecutionStatus;
	readonly result: JsonObject | null;
}

/** What is compared. Undefined: nothing is expected of it. */
export interface ExpectedEnd {
	readonly status: string;
	readonly output: JsonValue | undefined;
	readonly errors: readonly JsonObject[] | undefined;
	readonly tasks: readonly string[] | undefined;
}

/** A run that is tried. */
export interface DefinitionCase {
	readonly name: string;
	readonly input: JsonObject;
	/** What `ctx().svc` and `ctx().parent` hold. */
	readonly context: JsonObject;
	readonly results: readonly GivenResult[];
	readonly expect: ExpectedEnd;
}

/** `running`: it does not end by itself. */
const statuses = ["succeeded", "failed", "timeout", "abandoned", "canceled", "pending", "running"];
const object = { type: "object" } as const satisfies Shape;
const number = { type: "integer", minimum: 0 } as const satisfies Shape;

const resultShape: Shape = {
	type: "object",
	properties: {
		task: { type: "string", minLength: 1 },
		route: number,
		occurrence: { type: "integer", minimum: 1 },
		item: number,
		status: { enum: statuses },
		result: object,
	},
	required: ["task"],
	additionalProperties: false,
};

const caseShape: Shape = {
	type: "object",
	properties: {
		name: { type: "string", minLength: 1 },
		input: object,
		context: { type: "object", properties: { svc: object, parent: object }, additionalProperties: false },
		results: { type: "array", items: resultShape },
		expect: {
			type: "object",
			properties: {
				status: { enum: ["succeeded", "failed", "timeout", "canceled", "paused", "running"] },
				output: {},
				errors: { type: "array", items: object },
				tasks: { type: "array", items: { type: "string", minLength: 1 } },
			},
			additionalProperties: false,
		},
	},
	required: ["name"],
	additionalProperties: false,
};

/** What a file of cases may say. */
export const casesShape: Shape = { type: "array", minItems: 1, items: caseShape };

type Written<T> = { readonly [K in keyof T]?: T[K] };
type WrittenCase = Omit<Written<DefinitionCase>, "results" | "expect"> & {
	readonly name: string;
	readonly results?: readonly (Written<GivenResult> & { readonly task: string })[];
	readonly expect?: Written<ExpectedEnd>;
};

/** The cases that a text in YAML lists. `SVC_INVALID` when it is none. */
export function readCases(text: string): readonly DefinitionCase[] {
	const { top, findings } = parseYaml(text);
	const problems = sortFindings([...findings, ...(top === undefined ? [] : checkShape(top, casesShape))]);
	if (top === undefined || problems.length > 0) throw toInvalidError("the cases cannot be read", problems);
	// The shape has been checked.
	return (top.value as unknown as readonly WrittenCase[]).map(toCase);
}

function toCase({ name, input = {}, context = {}, results = [], expect = {} }: WrittenCase): DefinitionCase {
	const { status = "succeeded", output, errors, tasks } = expect;
	return { name, input, context, results: results.map(toResult), expect: { status, output, errors, tasks } };
}

function toResult({
	task,
	route,
	occurrence,
	item,
	status = "succeeded",
	result = null,
}: Written<GivenResult> & { readonly task: string }): GivenResult {
	return { task, route, occurrence, item, status, result };
}
