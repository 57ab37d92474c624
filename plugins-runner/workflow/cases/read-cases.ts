import type { ExecutionStatus, JsonObject, JsonValue } from "../../../core/contract/index.ts";
import { checkShape } from "../definition/check-shape.ts";
import { sortFindings } from "../definition/findings.ts";
import { parseYaml } from "../definition/parse-source.ts";
import { toInvalidError } from "../definition/read-definition.ts";
import type { Shape } from "../definition/shape.ts";

/** Result with which an action of a case ends. */
export interface GivenResult {
	readonly task: string;
	/** Undefined matches every route. */
	readonly route: number | undefined;
	/** Number of the task's start on its route, from 1; each attempt counts as a start. Undefined matches every start. */
	readonly occurrence: number | undefined;
	readonly item: number | undefined;
	readonly status: ExecutionStatus;
	readonly result: JsonObject | null;
}

/** Expected end of a case. Members that are undefined are not compared. */
export interface ExpectedEnd {
	readonly status: string;
	readonly output: JsonValue | undefined;
	readonly errors: readonly JsonObject[] | undefined;
	readonly tasks: readonly string[] | undefined;
}

export interface DefinitionCase {
	readonly name: string;
	readonly input: JsonObject;
	/** Values of `ctx().svc` and `ctx().parent`. */
	readonly context: JsonObject;
	readonly results: readonly GivenResult[];
	readonly expect: ExpectedEnd;
}

/** Statuses of a result. `running`: the action does not end by itself. */
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

export const casesShape: Shape = { type: "array", minItems: 1, items: caseShape };

type Optional<T> = { readonly [K in keyof T]?: T[K] };
type CaseInput = Omit<Optional<DefinitionCase>, "results" | "expect"> & {
	readonly name: string;
	readonly results?: readonly (Optional<GivenResult> & { readonly task: string })[];
	readonly expect?: Optional<ExpectedEnd>;
};

/** Reads the cases in a YAML document. Throws `SVC_INVALID` if it has findings. */
export function readCases(text: string): readonly DefinitionCase[] {
	const { top, findings } = parseYaml(text);
	const problems = sortFindings([...findings, ...(top === undefined ? [] : checkShape(top, casesShape))]);
	if (top === undefined || problems.length > 0) throw toInvalidError("the cases cannot be read", problems);
	// The shape was checked above.
	return (top.value as unknown as readonly CaseInput[]).map(toCase);
}

function toCase({ name, input = {}, context = {}, results = [], expect = {} }: CaseInput): DefinitionCase {
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
}: Optional<GivenResult> & { readonly task: string }): GivenResult {
	return { task, route, occurrence, item, status, result };
}
