/** A few choices of which one holds. */
export function Segmented<Name extends string>({
  label,
  choices,
  selected,
  onSelect,
}: {
  label: string;
  choices: readonly { readonly name: Name; readonly label: string }[];
  selected: Name;
  onSelect: (name: Name) => void;
}) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would bring a frame and a legend for three small buttons
    <div className="segmented" role="group" aria-label={label}>
      {choices.map((choice) => (
        <button
          key={choice.name}
          type="button"
          aria-pressed={choice.name === selected}
          onClick={() => onSelect(choice.name)}
        >
          {choice.label}
        </button>
      ))}
    </div>
  );
}
