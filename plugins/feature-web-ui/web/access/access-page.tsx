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

const roleColumns: readonly Column<RoleRecord>[] = [
	{
		title: "Role",
		cell: ({ name }) => (
			<a class="row-link" href={toRoleHref(name)}>
				{escapeControlCharacters(name)}
			</a>
		),
	},
	{ title: "What it is", class: "wide", cell: ({ description }) => escapeControlCharacters(description) },
	{ title: "From", cell: ({ system }) => (system ? "the service" : "the configuration") },
	{ title: "Grants", class: "right", cell: ({ system, permission_grant_objects: grants }) => (system ? "–" : grants.length) },
];

export function toRoleHref(name: string): string {
	return toHref(toPath("/access/roles/:name", { name }));
}

export function RoleList() {
	const roles = useResource((signal) => client.roles.list({}, { signal }), []);
	return (
		<Loaded resource={roles}>{({ items }) => <DataTable label="Roles" columns={roleColumns} rows={items} toKey={({ id }) => id} />}</Loaded>
	);
}

const pageSize = 50;

const assignmentColumns: readonly Column<RoleAssignmentRecord>[] = [
	{ title: "User", cell: ({ user }) => escapeControlCharacters(user) },
	{ title: "Role", cell: ({ role }) => <a href={toRoleHref(role)}>{escapeControlCharacters(role)}</a> },
	{
		title: "Because of",
		class: "wide",
		cell: ({ is_remote, source }) => (is_remote ? `group ${escapeControlCharacters(source)}` : "the configuration"),
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
					{ name: "user", label: "User", kind: "text" },
					{ name: "role", label: "Role", kind: "text" },
				]}
			/>
			<Loaded resource={assignments}>
				{({ items }) => {
					const rows = items.slice(offset, offset + limit);
					return items.length === 0 ? (
						<Empty title="Nobody has such a role" />
					) : (
						<>
							<DataTable label="Who has which role" columns={assignmentColumns} rows={rows} toKey={({ id }) => id} />
							<Pager size={pageSize} shown={rows.length} total={items.length} />
						</>
					);
				}}
			</Loaded>
		</>
	);
}

const views: readonly PageTab[] = [
	{ name: "own", title: "What you may do", Shown: OwnAccess },
	{ name: "roles", title: "Roles", permission: "admin", Shown: RoleList },
	{ name: "assignments", title: "Who has which", permission: "admin", Shown: AssignmentList },
];

/** Shows roles and their assignments. They are defined by the configuration and by groups, so the page is read-only. */
export function Page({ values: { view = "" } }: PageProps) {
	return (
		<>
			<div class="page-head">
				<h1>Access</h1>
			</div>
			<PageTabs
				label="Views of access"
				views={views}
				chosen={view}
				toViewHref={(name) => toHref(toPath("/access/:view", { view: name }))}
				refusal="You may not see who may do what."
			/>
		</>
	);
}

/** A permission and the uids of the records on which the user has it; `*` means all. */
type Given = readonly [permission: string, uids: readonly string[]];

const columns: readonly Column<Given>[] = [
	{ title: "Permission", class: "mono", cell: ([permission]) => permission },
	{
		title: "On",
		class: "wide-lines",
		cell: ([, uids]) => (uids.includes("*") ? "everything" : uids.map(escapeControlCharacters).join(", ")),
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
				<Fact name="User">{escapeControlCharacters(username)}</Fact>
				<Fact name="Signed in by">{authentication.method}</Fact>
				{authentication.token_expire !== undefined && (
					<Fact name="Session ends">
						<Expiry at={authentication.token_expire} />
					</Fact>
				)}
				<Fact name="Roles">{rbac.roles.length === 0 ? "none" : rbac.roles.map(escapeControlCharacters).join(", ")}</Fact>
				<Fact name="Administrator">{rbac.is_admin ? "yes" : "no"}</Fact>
			</dl>
			{!rbac.enabled && <p>Access control is off: everybody who signs in may do everything.</p>}
			{rbac.enabled && rbac.is_admin && <p>You may do everything.</p>}
			{rbac.enabled && !rbac.is_admin && given.length === 0 && (
				<Empty title="You may do nothing yet">
					<p>An administrator of this service can give you a role.</p>
				</Empty>
			)}
			{rbac.enabled && !rbac.is_admin && given.length > 0 && (
				<DataTable label="What you may do" columns={columns} rows={given} toKey={([permission]) => permission} />
			)}
		</>
	);
}
