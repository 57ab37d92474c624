import type { Route } from "../../core/http/route.ts";
import { guardedFields, type MatrixRow } from "../../core/testing/http/rights-row.test-support.ts";
import { type CallerKind, callerKinds, type RightsRow, toRightsRows } from "../../core/testing/http/rights-table.test-support.ts";
import { routes } from "../../plugins/_shipped/routes.ts";
import { toRequest } from "./request-reference.ts";

const kinds: readonly CallerKind[] = Object.values(callerKinds);

/** `docs/reference/permissions.md`, made from the routes and from the rows that the tests ask every one of them with. */
export function toRightsReference(declared: readonly Route[] = routes): string {
	const rows = toRightsRows(declared).map((entry) => toCells(entry));
	return `${introduction}${fields}\n${heading}${rows.map((cells) => `| ${cells.join(" | ")} |\n`).join("")}`;
}

function toCells(entry: RightsRow): readonly string[] {
	const { route, row } = entry;
	const statuses = kinds.map((kind) => String(kind.expects(route, row)));
	return [`\`${toRequest(route)}\``, toAsked(entry), ...statuses, toShown(row)];
}

/** Every permission that the example needs, or what is asked for instead. */
function toAsked({ route: { permission }, row: { grants = [] } }: RightsRow): string {
	const types = grants.flatMap(({ permission_types: names }) => names);
	if (permission === "public") return "nothing";
	if (permission === "authenticated") return "a credential";
	return types.length === 0 ? toCode(permission) : [...new Set(types)].map(toCode).join(" and ");
}

function toShown({ shows = {}, owner }: MatrixRow): string {
	const own = Object.keys(owner?.shows ?? {}).map((field) => `${field}: the owner`);
	const others = Object.entries(shows).map(([field, needs]) => `${field}${needs === "asked" ? "" : `: ${toCode(needs)}`}`);
	return [...others, ...own].join("; ");
}

function toCode(text: string): string {
	return text === "administrator" || text === "admin" ? "administrators" : `\`${text}\``;
}

const fields = Object.entries(guardedFields)
	.map(([name, { meaning }]) => `| ${name} | ${meaning} |\n`)
	.join("");

const heading = `| Request | Asks for | ${kinds.map(({ name }) => name).join(" | ")} | Shows |\n|---|---|${kinds.map(() => "---|").join("")}---|\n`;

const introduction = `# Rights

<!-- Made by \`npm run docs:update\` from the routes and from what the tests ask them. Do not edit. -->

What every request answers to every kind of caller with access control on (\`rbac.enable\`), and what it shows of what takes care to be
shown. The tests ask each of these as each of the callers, compare the status, and look for what should not be in the answer.
[Roles](../guides/roles.md) says how rights are given; with access control off whoever signs in is an administrator, and only scopes of
API keys narrow that.

The status is that of one example. 400 and 404 stand where the example has nothing to find or to change: it is refused after the rights were
looked at.

| Column | Who asks |
|---|---|
| ${callerKinds.stranger.name} | without a credential, or with one that is unknown, expired or disabled |
| ${callerKinds.nobody.name} | a user without a role; a key whose scopes are empty |
| ${callerKinds.webhookKey.name} | an administrator's API key with the scope \`webhook:<url>\` |
| ${callerKinds.observer.name} | a user with the role \`observer\` |
| ${callerKinds.granted.name} | a user with a role that has just what is asked for, on just this record where that is possible |
| ${callerKinds.scopedKey.name} | an administrator's API key with just that as scope |
| ${callerKinds.owner.name} | a user without rights who asks for what is their own, where there is such a thing |
| ${callerKinds.administrator.name} | the roles \`admin\` and \`system_admin\`, and a key without scopes of such a user |

*Asks for* names permissions: on the record, or its pack, unless they concern no single record.

*Shows* names what is in the answer besides its status. Standing alone it is for everybody who gets the answer; behind a colon stands what it
takes in addition. \`show_secrets\` means administrators who ask with it. What is not named shows to nobody.

| Word | Means |
|---|---|
`;
