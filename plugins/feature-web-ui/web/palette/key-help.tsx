import { useSignal } from "@preact/signals";
import { Dialog } from "../parts/confirm.tsx";
import { hasSingleKeys, setSingleKeys } from "./keys.ts";

const keys: readonly (readonly [keys: readonly string[], meaning: string])[] = [
	[["Ctrl K", "⌘ K"], "go to a page or record"],
	[["?"], "this help"],
	[["/"], "to the first filter or search of the page"],
	[["Tab", "Shift Tab"], "to the next and the previous control"],
	[["Enter"], "follow a link, press a button, take a filter"],
	[["Esc"], "close a dialog"],
];

export function KeyHelp({ onClose }: { readonly onClose: () => void }) {
	const isOn = useSignal(hasSingleKeys());
	return (
		<Dialog title="Keys" onClose={onClose}>
			<table class="key-table" aria-label="Keys">
				<tbody>
					{keys.map(([names, meaning]) => (
						<tr key={meaning}>
							<th scope="row">
								{names.map((name) => (
									<kbd key={name}>{name}</kbd>
								))}
							</th>
							<td>{meaning}</td>
						</tr>
					))}
				</tbody>
			</table>
			<label class="toggle">
				<input
					type="checkbox"
					checked={isOn.value}
					onChange={(event) => {
						isOn.value = event.currentTarget.checked;
						setSingleKeys(isOn.value);
					}}
				/>
				Keys without Ctrl or ⌘ count (kept in this browser)
			</label>
			<div class="dialog-actions">
				<button type="button" onClick={onClose}>
					Close
				</button>
			</div>
		</Dialog>
	);
}
