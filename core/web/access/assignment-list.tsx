import { toSeenLine } from "../../contract/unseen-text.ts";
import type { RoleAssignmentRecord } from "../../features/clients.ts";
import { addressBar } from "../kit/address.ts";
import { useResource } from "../kit/resource.ts";
import { client } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { FilterBar } from "../parts/filter-bar.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { Pager, toPaging } from "../parts/pager.tsx";
import { toRoleHref } from "./role-list.tsx";

const pageSize = 50;

const columns: readonly Column<RoleAssignmentRecord>[] = [
	{ title: "User", cell: ({ user }) => toSeenLine(user) },
	{ title: "Role", cell: ({ role }) => <a href={toRoleHref(role)}>{toSeenLine(role)}</a> },
	{
		title: "Because of",
		class: "wide",
		cell: ({ is_remote, source }) => (is_remote ? `group ${toSeenLine(source)}` : "the configuration"),
	},
];

/** Who has which role, and why. */
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
							<DataTable label="Who has which role" columns={columns} rows={rows} toKey={({ id }) => id} />
							<Pager size={pageSize} shown={rows.length} total={items.length} />
						</>
					);
				}}
			</Loaded>
		</>
	);
}
