import { toSeenLine } from "../../contract/unseen-text.ts";
import type { RoleRecord } from "../../features/clients.ts";
import { toHref, toPath } from "../kit/address.ts";
import { useResource } from "../kit/resource.ts";
import { client } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Loaded } from "../parts/loaded.tsx";

const columns: readonly Column<RoleRecord>[] = [
	{
		title: "Role",
		cell: ({ name }) => (
			<a class="row-link" href={toRoleHref(name)}>
				{toSeenLine(name)}
			</a>
		),
	},
	{ title: "What it is", class: "wide", cell: ({ description }) => toSeenLine(description) },
	{ title: "From", cell: ({ system }) => (system ? "the service" : "the configuration") },
	{ title: "Grants", class: "right", cell: ({ system, permission_grant_objects: grants }) => (system ? "–" : grants.length) },
];

/** Where a role is shown. */
export function toRoleHref(name: string): string {
	return toHref(toPath("/access/roles/:name", { name }));
}

/** Which roles there are. */
export function RoleList() {
	const roles = useResource((signal) => client.roles.list({}, { signal }), []);
	return (
		<Loaded resource={roles}>{({ items }) => <DataTable label="Roles" columns={columns} rows={items} toKey={({ id }) => id} />}</Loaded>
	);
}
