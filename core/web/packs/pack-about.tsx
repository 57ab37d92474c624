import { stringifyJson } from "../../contract/index.ts";
import { toSeenLine } from "../../contract/unseen-text.ts";
import type { PackRecord } from "../../features/clients.ts";
import { useResource } from "../kit/resource.ts";
import { CodeBox } from "../parts/code-box.tsx";
import { Fact } from "../parts/fact.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { readPackText } from "./pack-files.tsx";

const lists = [
	["Keywords", "keywords"],
	["Depends on", "dependencies"],
	["Python", "python_versions"],
	["Contributors", "contributors"],
] as const;

/** What its author says of it. */
export function PackAbout({ pack }: { readonly pack: PackRecord }) {
	const readme = pack.files.find((path) => /^readme(\.\w+)?$/i.test(path));
	return (
		<>
			<dl class="facts">
				{lists
					.filter(([, member]) => pack[member].length > 0)
					.map(([name, member]) => (
						<Fact key={name} name={name}>
							{pack[member].map((each) => toSeenLine(typeof each === "string" ? each : stringifyJson(each))).join(", ")}
						</Fact>
					))}
				{pack.svc_version !== undefined && <Fact name="For versions of the service">{toSeenLine(pack.svc_version)}</Fact>}
				{pack.email !== undefined && <Fact name="Mail">{toSeenLine(pack.email)}</Fact>}
			</dl>
			{readme === undefined ? <p class="faint">It has no README.</p> : <Readme pack={pack} path={readme} />}
		</>
	);
}

function Readme({ pack, path }: { readonly pack: PackRecord; readonly path: string }) {
	const text = useResource(() => readPackText(pack.ref, path), [pack.ref, pack.content, path]);
	return <Loaded resource={text}>{(found) => <CodeBox label={path} text={found ?? ""} />}</Loaded>;
}
