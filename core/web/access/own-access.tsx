import { escapeControlCharacters } from "../../contract/control-characters.ts";
import { session } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Expiry } from "../parts/expiry.tsx";
import { Fact } from "../parts/fact.tsx";

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
export function OwnAccess() {
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
					<p>Whoever looks after this service can give you a role.</p>
				</Empty>
			)}
			{rbac.enabled && !rbac.is_admin && given.length > 0 && (
				<DataTable label="What you may do" columns={columns} rows={given} toKey={([permission]) => permission} />
			)}
		</>
	);
}
