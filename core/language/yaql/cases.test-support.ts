import * as assert from "node:assert/strict";
import { type ExpressionScope, parseJson } from "../../contract/index.ts";
import { createExpressions } from "../expressions/expressions.ts";

const expressions = createExpressions();

/**
 * Evaluate every `expression → JSON` of a table. What follows `→ error` is all of the message but its beginning, which says what could not be
 * evaluated.
 */
export async function checkCases(table: string, scope: ExpressionScope = { variables: {} }): Promise<void> {
	const rows = table.split("\n").filter((line) => line.includes(" → "));
	assert.ok(rows.length > 5);
	for (const row of rows) {
		const arrow = row.lastIndexOf(" → ");
		const expression = row.slice(0, arrow);
		const expected = row.slice(arrow + " → ".length);
		const evaluation = expressions.evaluate(`<% ${expression} %>`, scope);
		if (!expected.startsWith("error ")) assert.deepEqual(await evaluation, parseJson(expected), expression);
		else {
			await assert.rejects(evaluation, (error: Error) => {
				assert.equal(withoutExpression(error.message, expression), expected.slice("error ".length), expression);
				return true;
			});
		}
	}
}

function withoutExpression(message: string, expression: string): string {
	const whole = `'<% ${expression} %>'`;
	return message
		.replace("YaqlEvaluationException: ", "")
		.replace(`Unable to evaluate expression ${whole}. `, "")
		.replace(` in expression ${whole}`, "");
}
