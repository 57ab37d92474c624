import { type AliasRecord, escapeControlCharacters } from "../../../_shipped/client.ts";
import type { PageProps } from "../kit/page.ts";
import { useResource } from "../kit/resource.ts";
import { toHref, toPath } from "../kit/router.ts";
import { client } from "../kit/service.ts";
import { Fact } from "../parts/fact.tsx";
import { JsonTree } from "../parts/json-tree.tsx";
import { Loaded } from "../parts/loaded.tsx";
import { RecordHead } from "../parts/record-head.tsx";
import { toDisplay } from "./alias-format.ts";

/** Shows one alias: its formats, the action that it runs, and its messages. */
export function Page({ values: { ref = "" } }: PageProps) {
	const alias = useResource(() => client.aliases.get(ref), [ref]);
	return (
		<Loaded resource={alias} title={ref}>
			{(found) => <Alias alias={found} />}
		</Loaded>
	);
}

function Alias({ alias }: { readonly alias: AliasRecord }) {
	const { action_ref, pack, formats, ack, result, immutable_parameters } = alias;
	return (
		<>
			<RecordHead record={alias}>
				<Fact name="Runs">
					<a href={toHref(toPath("/actions/:ref", { ref: action_ref }))}>{escapeControlCharacters(action_ref)}</a>
				</Fact>
				<Fact name="Pack">
					<a href={toHref("/aliases", { pack })}>{escapeControlCharacters(pack)}</a>
				</Fact>
			</RecordHead>
			<section class="card">
				<h2>What is written</h2>
				<ul class="held">
					{formats.map((format, index) => (
						<li key={index}>
							<Format format={format} />
						</li>
					))}
				</ul>
			</section>
			<Said title="Said when it has been asked for" value={ack} />
			<Said title="Said when it has ended" value={result} />
			<Said title="Parameters that no command may set" value={immutable_parameters} />
		</>
	);
}

function Format({ format }: { readonly format: AliasRecord["formats"][number] }) {
	return (
		<>
			<code>{toDisplay(format)}</code>
			{typeof format !== "string" && (
				<ul class="criteria" aria-label="What commands are held against">
					{format.representation.map((each) => (
						<li key={each}>
							<code>{escapeControlCharacters(each)}</code>
						</li>
					))}
				</ul>
			)}
		</>
	);
}

function Said({ title, value }: { readonly title: string; readonly value: AliasRecord["extra"] }) {
	if (Object.keys(value).length === 0) return null;
	return (
		<section class="card">
			<h2>{title}</h2>
			<JsonTree value={value} />
		</section>
	);
}
