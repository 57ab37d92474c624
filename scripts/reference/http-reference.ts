import { readFileSync } from "node:fs";
import { type DescribedRoute, toTag } from "../../core/http/openapi/operation.ts";
import { routes } from "../../plugins/_shipped/routes.ts";
import { toRequest } from "./request-reference.ts";

const block = /<!-- requests: ([^>]*) -->\n(?:(?!<!-- ).*\n)*<!-- end -->/g;

/** `docs/reference/http-api.md`: what people have written, with tables of requests that are made from the routes. */
export function toHttpReference(
	page: string = readFileSync("docs/reference/http-api.md", "utf8"),
	declared: readonly DescribedRoute[] = routes,
): string {
	return page.replaceAll(block, (_whole, tags: string) => {
		const names = tags.split(" ");
		const chosen = declared.filter((route) => names.includes(toTag(route)));
		const ordered = [...chosen].sort((a, b) => names.indexOf(toTag(a)) - names.indexOf(toTag(b)));
		return `<!-- requests: ${tags} -->\n${heading}${ordered.map(toRow).join("")}<!-- end -->`;
	});
}

/** What the page says of all lists. */
const everywhere = new Set(["limit", "offset", "sort", "include_attributes", "exclude_attributes", "show_secrets"]);

const heading = "| Request | Status | Description |\n|---|---|---|\n";

function toRow(route: DescribedRoute): string {
	const statuses = Object.entries(route.answers).flatMap(([status, answer]) => (answer === undefined ? [] : [status]));
	const own = Object.keys(route.query ?? {}).filter((name) => !everywhere.has(name));
	const query = own.length === 0 ? [] : [`Query: ${own.map((name) => `\`${name}\``).join(", ")}.`];
	const does = [`${route.summary}.`, ...(route.description === undefined ? [] : [route.description]), ...query].join(" ");
	return `| \`${toRequest(route)}\` | ${statuses.join(", ")} | ${does.replaceAll("|", "\\|")} |\n`;
}
