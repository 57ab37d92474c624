import { SvcError } from "../../../../core/contract/index.ts";
import { escapeControlCharacters, escapeControlCharactersInLines, type RoleRecord } from "../../../_shipped/client.ts";
import type { PageProps } from "../kit/page.ts";
import { useResource } from "../kit/resource.ts";
import { toHref } from "../kit/router.ts";
import { client } from "../kit/service.ts";
import { type Column, DataTable } from "../parts/data-table.tsx";
import { Empty } from "../parts/empty.tsx";
import { Fact } from "../parts/fact.tsx";
import { Loaded } from "../parts/loaded.tsx";

type Grant = RoleRecord["permission_grant_objects"][number];

const columns: readonly Column<Grant>[] = [
	{ title: "On", class: "mono", cell: ({ resource_uid: uid }) => (uid === null ? "no single record" : escapeControlCharacters(uid)) },
	{ title: "May", class: "wide-lines mono", cell: ({ permission_types }) => permission_types.join(", ") },
];

/** Shows one role and the permissions that it grants. */
export function Page({ values: { name = "" } }: PageProps) {
	const role = useResource(
		async (signal) => {
			const { items } = await client.roles.list({}, { signal });
			const found = items.find((each) => each.name === name);
			if (found === undefined) throw new SvcError("SVC_NOT_FOUND", `role "${name}" does not exist`);
			return found;
		},
		[name],
	);
	return (
		<Loaded resource={role} title={name}>
			{({ description, system, permission_grant_objects: grants }) => (
				<>
					<div class="page-head">
						<h1>{escapeControlCharacters(name)}</h1>
					</div>
					{description !== "" && <p>{escapeControlCharactersInLines(description)}</p>}
					<dl class="facts">
						<Fact name="From">{system ? "the service" : "the configuration"}</Fact>
						<Fact name="Who has it">
							<a href={toHref("/access/assignments", { role: name })}>Users with this role</a>
						</Fact>
					</dl>
					{system && <p>Its description says what it allows.</p>}
					{!system && grants.length === 0 && <Empty title="It grants nothing" />}
					{grants.length > 0 && <DataTable label="Grants" columns={columns} rows={grants} toKey={({ id }) => id} />}
				</>
			)}
		</Loaded>
	);
}
