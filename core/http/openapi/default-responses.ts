import type { Route } from "../route.ts";
import { answerFault, type ResponseDeclaration } from "./responses.ts";

/** The parts of a route that decide which errors it may answer with. */
type RouteResponseInputs = Pick<Route, "path" | "permission" | "isAlwaysOpen" | "body" | "answers">;

const invalid = answerFault("Something in the request is not as it has to be.", { name: "Invalid" });
const unauthorized = answerFault("There is no credential, or none that is good.", { name: "Unauthorized" });
const forbidden = answerFault("The credential is not enough for this.", { name: "Forbidden" });
const notFound = answerFault("What the path names is not there.", { name: "NotFound" });
const tooLarge = answerFault("The body is longer than `api.max_body_size`.", { name: "TooLarge" });
const unsupported = answerFault("The body is in a content coding or charset that is not supported.", { name: "Unsupported" });
const failed = answerFault("The service has failed; its log says how.", { name: "Failed" });
const unavailable = answerFault("The service is starting or stopping, or cannot reach what it needs.", {
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
	if (summary === undefined || summary.trim() === "") return "declares no summary: what it does, in a few words";
	const hint = 'hint: "answers: { 200: answerJson(schema) }"';
	if (answers === undefined) return `declares no answers; ${hint}`;
	const hasSuccess = Object.entries(answers).some(([status, answer]) => answer !== undefined && Number(status) < 400);
	return hasSuccess ? undefined : `declares no answer for success; ${hint}`;
}
