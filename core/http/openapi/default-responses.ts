import type { Route } from "../route.ts";
import { answerFault, type ResponseDeclaration } from "./responses.ts";

/** The parts of a route that decide which errors it may answer with. */
type RouteResponseInputs = Pick<Route, "path" | "permission" | "isAlwaysOpen" | "body" | "answers">;

const invalid = answerFault("The request is invalid.", { name: "Invalid" });
const unauthorized = answerFault("The credential is missing or invalid.", { name: "Unauthorized" });
const forbidden = answerFault("The user does not have the required permission.", { name: "Forbidden" });
const notFound = answerFault("The record that the path names does not exist.", { name: "NotFound" });
const tooLarge = answerFault("The body is longer than `api.max_body_size`.", { name: "TooLarge" });
const unsupported = answerFault("The content coding or charset of the body is not supported.", { name: "Unsupported" });
const failed = answerFault("The service failed; the log contains the reason.", { name: "Failed" });
const unavailable = answerFault("The service is starting or stopping, or a dependency such as the database is unavailable.", {
	name: "Unavailable",
	retries: true,
});

/** Returns all answers of a route by status: those that it declares, and those that follow from its path, permission and body. */
export function allAnswers(route: RouteResponseInputs): ReadonlyMap<number, ResponseDeclaration> {
	const answers = new Map(Object.entries(toDefaultAnswers(route)).map(([status, answer]) => [Number(status), answer]));
	for (const [status, answer] of Object.entries(route.answers)) {
		if (answer === undefined) answers.delete(Number(status));
		else answers.set(Number(status), answer);
	}
	return new Map([...answers].sort(([a], [b]) => a - b));
}

/** Returns the answers that follow from the path, permission and body of a route. */
function toDefaultAnswers({
	path,
	permission,
	isAlwaysOpen = false,
	body,
}: RouteResponseInputs): Readonly<Record<number, ResponseDeclaration>> {
	const hasVariable = path.includes(":");
	const hasBody = body !== undefined;
	return {
		// Every route can answer 400, because the header `Host` is checked first.
		400: invalid,
		...(permission !== "public" && { 401: unauthorized, 403: forbidden }),
		...(hasVariable && { 404: notFound }),
		...(hasBody && { 413: tooLarge, 415: unsupported }),
		...(!isAlwaysOpen && { 500: failed, 503: unavailable }),
	};
}

/**
 * Returns the problem of a route's summary and answers, or undefined. Both may be missing in routes of plugins that were not
 * type-checked.
 */
export function findDeclarationProblem({ summary, answers }: Partial<Pick<Route, "summary" | "answers">>): string | undefined {
	if (summary === undefined || summary.trim() === "") return "declares no summary; hint: describe in a few words what the route does";
	const hint = 'hint: "answers: { 200: answerJson(schema) }"';
	if (answers === undefined) return `declares no answers; ${hint}`;
	const hasSuccess = Object.entries(answers).some(([status, answer]) => answer !== undefined && Number(status) < 400);
	return hasSuccess ? undefined : `declares no successful response; ${hint}`;
}
