import type { JsonObject, JsonValue } from "../../../contract/index.ts";
import { type Datastore, DatastoreReference, emptyDatastore } from "../../templates/datastore.ts";
import { isRenderProblem, TemplateError } from "../../templates/errors.ts";
import type { TemplateScope } from "../../templates/scope.ts";
import { compileTemplate, isTemplate, type Template } from "../../templates/template.ts";

/** What a pattern may use, and when it is. */
export interface Evaluation {
	/** `{ trigger: payload }`, inside `search` `{ item }`. */
	readonly values: JsonObject;
	readonly datastore: Datastore;
	/** Microseconds since 1970. */
	readonly now: number;
}

/** The pattern as it counts for one evaluation. */
export type PatternReader = (evaluation: Evaluation) => JsonValue;

/** Compile a pattern: texts may hold templates, and one that is a single expression keeps the type of its value. */
export function compilePattern(pattern: JsonValue): PatternReader {
	if (typeof pattern !== "string" || !isTemplate(pattern)) return () => pattern;
	const render = renderer(pattern);
	return (evaluation) => {
		try {
			return render(evaluation);
		} catch (error) {
			if (!isRenderProblem(error)) throw error;
			throw new TemplateError(`rendering the pattern value failed: ${error.message}`);
		}
	};
}

function renderer(text: string): PatternReader {
	let template: Template;
	try {
		template = compileTemplate(text);
	} catch (error) {
		return () => {
			throw error;
		};
	}
	const usesDatastore = template.references.names.some((name) => name === "svckv" || name === "system");
	return ({ values, datastore }) => template.renderNative(toPatternScope(values, usesDatastore ? datastore : emptyDatastore));
}

/** Items of the system scope only, also in their old form without `svckv`. */
function toPatternScope(values: JsonObject, datastore: Datastore): TemplateScope {
	const svckv = new DatastoreReference(datastore, ["system"]);
	const lookup = (name: string) => {
		if (Object.hasOwn(values, name)) return values[name];
		if (name === "svckv") return svckv;
		return name === "system" ? svckv.member("system") : undefined;
	};
	return { datastore, lookup };
}
