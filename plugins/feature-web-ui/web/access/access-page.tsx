import { escapeControlCharacters, type RoleAssignmentRecord, type RoleRecord } from "../../../_shipped/client.ts";
import type { PageProps } from "../kit/page.ts";
import { useResource } from "../kit/resource.ts";
import { addressBar, toHref, toPath } from "../kit/router.ts";
import { client, session } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Expiry } from "../parts/expiry.tsx";
import { Fact } from "../parts/fact.tsx";
import { FilterBar } from "../parts/filter-bar.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { type PageTab, PageTabs } from "../parts/page-tabs.tsx";
import { Pager, toPaging } from "../parts/pager.tsx";
import * as texts from "../texts/access.ts";
import * as common from "../texts/common.ts";

const roleColumns: readonly Column<RoleRecord>[] = [
	{
		title: common.role,
		cell: ({ name }) => (
			<a class="row-link" href={toRoleHref(name)}>
				{escapeControlCharacters(name)}
			</a>
		),
	},
	{ title: common.description, class: "wide", cell: ({ description }) => escapeControlCharacters(description) },
	{ title: texts.definedBy, cell: ({ system }) => (system ? texts.byService : texts.byConfiguration) },
	{ title: texts.grants, class: "right", cell: ({ system, permission_grant_objects: grants }) => (system ? "–" : grants.length) },
];

export function toRoleHref(name: string): string {
	return toHref(toPath("/access/roles/:name", { name }));
}

export function RoleList() {
	const roles = useResource((signal) => client.roles.list({}, { signal }), []);
	return (
		<Loaded resource={roles}>
			{({ items }) => <DataTable label={common.roles} columns={roleColumns} rows={items} toKey={({ id }) => id} />}
		</Loaded>
	);
}

const pageSize = 50;

const assignmentColumns: readonly Column<RoleAssignmentRecord>[] = [
	{ title: common.user, cell: ({ user }) => escapeControlCharacters(user) },
	{ title: common.role, cell: ({ role }) => <a href={toRoleHref(role)}>{escapeControlCharacters(role)}</a> },
	{
		title: texts.assignedBy,
		class: "wide",
		cell: ({ is_remote, source }) => (is_remote ? texts.byGroup(escapeControlCharacters(source)) : texts.byConfiguration),
	},
];

/** Lists role assignments: the users, their roles and the origin of each assignment. */
export function AssignmentList() {
	const query = { user: addressBar.query("user") || undefined, role: addressBar.query("role") || undefined };
	const assignments = useResource((signal) => client.roleAssignments.list(query, { signal }), [JSON.stringify(query)]);
	const { limit, offset } = toPaging(pageSize);
	return (
		<>
			<FilterBar
				filters={[
					{ name: "user", label: common.user, kind: "text" },
					{ name: "role", label: common.role, kind: "text" },
				]}
			/>
			<Loaded resource={assignments}>
				{({ items }) => {
					const rows = items.slice(offset, offset + limit);
					return items.length === 0 ? (
						<Empty title={texts.noAssignments} step={texts.noAssignmentsStep} />
					) : (
						<>
							<DataTable label={texts.assignments} columns={assignmentColumns} rows={rows} toKey={({ id }) => id} />
							<Pager size={pageSize} shown={rows.length} total={items.length} />
						</>
					);
				}}
			</Loaded>
		</>
	);
}

const views: readonly PageTab[] = [
	{ name: "own", title: texts.ownTab, Shown: OwnAccess },
	{ name: "roles", title: common.roles, permission: "admin", Shown: RoleList },
	{ name: "assignments", title: texts.assignmentsTab, permission: "admin", Shown: AssignmentList },
];

/** Shows roles and their assignments. They are defined by the configuration and by groups, so the page is read-only. */
export function Page({ values: { view = "" } }: PageProps) {
	return (
		<>
			<div class="page-head">
				<h1>{common.access}</h1>
			</div>
			<PageTabs
				label={texts.tabs}
				views={views}
				chosen={view}
				toViewHref={(name) => toHref(toPath("/access/:view", { view: name }))}
				refusal={texts.refusal}
			/>
		</>
	);
}

/** A permission and the uids of the records on which the user has it; `*` means all. */
type Given = readonly [permission: string, uids: readonly string[]];

const columns: readonly Column<Given>[] = [
	{ title: texts.permission, class: "mono", cell: ([permission]) => permission },
	{
		title: texts.resource,
		class: "wide-lines",
		cell: ([, uids]) => (uids.includes("*") ? texts.everything : uids.map(escapeControlCharacters).join(", ")),
	},
];

/** Lists the permissions of the signed-in user, as the service reported them. */
function OwnAccess() {
	const { value: user } = session.user;
	if (user === undefined) return null;
	const { rbac, authentication, username } = user;
	const given = Object.entries(rbac.permissions ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
	return (
		<>
			<dl class="facts">
				<Fact name={common.user}>{escapeControlCharacters(username)}</Fact>
				<Fact name={texts.signInMethod}>{authentication.method}</Fact>
				{authentication.token_expire !== undefined && (
					<Fact name={texts.sessionExpires}>
						<Expiry at={authentication.token_expire} />
					</Fact>
				)}
				<Fact name={common.roles}>{rbac.roles.length === 0 ? common.none : rbac.roles.map(escapeControlCharacters).join(", ")}</Fact>
				<Fact name={texts.administrator}>{rbac.is_admin ? common.yes : common.no}</Fact>
			</dl>
			{!rbac.enabled && <p>{texts.accessControlIsOff}</p>}
			{rbac.enabled && rbac.is_admin && <p>{texts.mayDoEverything}</p>}
			{rbac.enabled && !rbac.is_admin && given.length === 0 && <Empty title={texts.noPermissions} step={texts.noPermissionsStep} />}
			{rbac.enabled && !rbac.is_admin && given.length > 0 && (
				<DataTable label={texts.ownTab} columns={columns} rows={given} toKey={([permission]) => permission} />
			)}
		</>
	);
}
